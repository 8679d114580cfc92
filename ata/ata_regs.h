/* ATA: opcodes, status and error bits, and the IDENTIFY DEVICE words a tool needs (ACS-2..ACS-5). */
#ifndef ATA_ATA_REGS_H
#define ATA_ATA_REGS_H

/* clang-format off */

#define ATA_STATUS_ERR   0x01u
#define ATA_STATUS_DRQ   0x08u
#define ATA_STATUS_DF    0x20u
#define ATA_STATUS_DRDY  0x40u
#define ATA_STATUS_BSY   0x80u

#define ATA_ERR_ABRT     0x04u
#define ATA_ERR_IDNF     0x10u
#define ATA_ERR_UNC      0x40u
#define ATA_ERR_ICRC     0x80u

#define ATA_DEVICE_LBA   0x40u

#define ATA_DATA_SET_MANAGEMENT  0x06u
#define ATA_READ_SECTORS         0x20u
#define ATA_READ_SECTORS_EXT     0x24u
#define ATA_READ_DMA_EXT         0x25u
#define ATA_READ_LOG_EXT         0x2fu
#define ATA_WRITE_SECTORS_EXT    0x34u
#define ATA_WRITE_DMA_EXT        0x35u
#define ATA_WRITE_DMA_FUA_EXT    0x3du
#define ATA_WRITE_LOG_EXT        0x3fu
#define ATA_READ_VERIFY_EXT      0x42u
#define ATA_READ_LOG_DMA_EXT     0x47u
#define ATA_READ_FPDMA_QUEUED    0x60u
#define ATA_WRITE_FPDMA_QUEUED   0x61u
#define ATA_SEND_FPDMA_QUEUED    0x64u
#define ATA_DOWNLOAD_MICROCODE   0x92u
#define ATA_SMART                0xb0u
#define ATA_DEVICE_CONFIGURATION 0xb1u
#define ATA_SANITIZE_DEVICE      0xb4u
#define ATA_READ_DMA             0xc8u
#define ATA_WRITE_DMA            0xcau
#define ATA_CHECK_POWER_MODE     0xe5u
#define ATA_FLUSH_CACHE          0xe7u
#define ATA_FLUSH_CACHE_EXT      0xeau
#define ATA_IDENTIFY_DEVICE      0xecu
#define ATA_SET_FEATURES         0xefu
#define ATA_SECURITY_SET_PASSWORD     0xf1u
#define ATA_SECURITY_UNLOCK           0xf2u
#define ATA_SECURITY_ERASE_PREPARE    0xf3u
#define ATA_SECURITY_ERASE_UNIT       0xf4u
#define ATA_SECURITY_FREEZE_LOCK      0xf5u
#define ATA_SECURITY_DISABLE_PASSWORD 0xf6u
#define ATA_READ_NATIVE_MAX      0xf8u
#define ATA_READ_NATIVE_MAX_EXT  0x27u
#define ATA_SET_MAX              0xf9u
#define ATA_SET_MAX_EXT          0x37u

#define ATA_DSM_FEATURE_TRIM     0x01u
#define ATA_DSM_BLOCK_BYTES      512u
#define ATA_DSM_ENTRY_BYTES      8u
#define ATA_DSM_ENTRIES_PER_BLOCK 64u
#define ATA_DSM_ENTRY_SECTORS_MAX 65535u
#define ATA_LBA48_SECTORS_MAX    65536u
#define ATA_LBA28_SECTORS_MAX    256u
#define ATA_LBA28_END            0x10000000ull /* first LBA that needs 48 bits */
#define ATA_LBA48_END            (1ull << 48)

#define ATA_LOG_NCQ_ERROR        0x10u

/* IDENTIFY DEVICE words (ACS-3 7.12) */
#define ATA_IDENTIFY_BYTES       512u
#define ID_W000_GENERAL          0
#define ID_W002_SPECIFIC         2
#define ID_W010_SERIAL           10
#define ID_W023_FIRMWARE         23
#define ID_W027_MODEL            27
#define ID_W048_TRUSTED          48
#define ID_W049_CAPABILITIES     49
#define ID_W053_VALIDITY         53
#define ID_W059_SANITIZE         59
#define ID_W060_LBA28            60
#define ID_W063_MWDMA            63
#define ID_W069_ADDITIONAL       69
#define ID_W075_QUEUE_DEPTH      75
#define ID_W076_SATA_CAP         76
#define ID_W077_SATA_CAP2        77
#define ID_W078_SATA_FEATURES    78
#define ID_W079_SATA_ENABLED     79
#define ID_W080_MAJOR            80
#define ID_W081_MINOR            81
#define ID_W082_SUPPORTED        82
#define ID_W083_LBA48            83
#define ID_W084_SUPPORTED_EXT    84
#define ID_W085_ENABLED          85
#define ID_W086_ENABLED2         86
#define ID_W087_ENABLED_EXT      87
#define ID_W088_UDMA             88
#define ID_W089_ERASE_TIME       89
#define ID_W090_ENH_ERASE_TIME   90
#define ID_W091_APM              91
#define ID_W092_MASTER_ID        92
#define ID_W100_LBA48_SECTORS    100
#define ID_W105_DSM_BLOCKS       105
#define ID_W106_SECTOR_SIZE      106
#define ID_W108_WWN              108
#define ID_W117_LOGICAL_WORDS    117
#define ID_W119_SUPPORTED3       119
#define ID_W120_ENABLED3         120
#define ID_W128_SECURITY         128
#define ID_W168_FORM_FACTOR      168
#define ID_W169_DSM              169
#define ID_W206_SCT              206
#define ID_W209_ALIGNMENT        209
#define ID_W217_ROTATION         217
#define ID_W222_TRANSPORT        222
#define ID_W230_EXT_SECTORS      230
#define ID_W255_INTEGRITY        255

/* clang-format on */

#endif
