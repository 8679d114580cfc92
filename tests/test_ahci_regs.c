/* The register names of ahci/ahci_regs.h and ata/ata_regs.h against a second table, typed from the
 * specifications (AHCI 1.3.1, Serial ATA 3, ACS-3) in another notation: offsets in hexadecimal, bits by their
 * number, fields by highest and lowest bit. A slip of the pen would have to happen twice in the same way. */
#include "ahci/ahci_regs.h"
#include "ata/ata_regs.h"
#include "tests/test.h"

struct row {
    const char *name;
    uint64_t got;
    uint64_t want;
};

#define OFFSET(name, at)                                                                           \
    {                                                                                              \
#name, name, at                                                                            \
    }
#define BIT(name, n)                                                                               \
    {                                                                                              \
#name, name, UINT64_C(1) << (n)                                                            \
    }
#define FIELD(name, high, low)                                                                     \
    {                                                                                              \
#name, name, ((UINT64_C(2) << (high)) - 1) & ~((UINT64_C(1) << (low)) - 1)                 \
    }
#define VALUE(name, value)                                                                         \
    {                                                                                              \
#name, name, value                                                                         \
    }

static void compare(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].got != rows[i].want) {
            printf("  %s\n", rows[i].name);
        }
        CHECK_EQ(rows[i].got, rows[i].want);
    }
}

/* clang-format off */

TEST(ahci_regs_global_offsets_and_bits)
{
    static const struct row rows[] = {
        OFFSET(HBA_CAP, 0x00), OFFSET(HBA_GHC, 0x04), OFFSET(HBA_IS, 0x08), OFFSET(HBA_PI, 0x0c),
        OFFSET(HBA_VS, 0x10), OFFSET(HBA_CCC_CTL, 0x14), OFFSET(HBA_CCC_PORTS, 0x18),
        OFFSET(HBA_EM_LOC, 0x1c), OFFSET(HBA_EM_CTL, 0x20), OFFSET(HBA_CAP2, 0x24), OFFSET(HBA_BOHC, 0x28),
        FIELD(CAP_NP_MASK, 4, 0), BIT(CAP_SXS, 5), BIT(CAP_EMS, 6), BIT(CAP_CCCS, 7),
        FIELD(CAP_NCS_MASK, 12, 8), VALUE(CAP_NCS_SHIFT, 8), BIT(CAP_PSC, 13), BIT(CAP_SSC, 14),
        BIT(CAP_PMD, 15), BIT(CAP_FBSS, 16), BIT(CAP_SPM, 17), BIT(CAP_SAM, 18),
        FIELD(CAP_ISS_MASK, 23, 20), VALUE(CAP_ISS_SHIFT, 20), BIT(CAP_SCLO, 24), BIT(CAP_SAL, 25),
        BIT(CAP_SALP, 26), BIT(CAP_SSS, 27), BIT(CAP_SMPS, 28), BIT(CAP_SSNTF, 29), BIT(CAP_SNCQ, 30),
        BIT(CAP_S64A, 31),
        BIT(GHC_HR, 0), BIT(GHC_IE, 1), BIT(GHC_MRSM, 2), BIT(GHC_AE, 31),
        VALUE(VS_1_2, 1 << 16 | 2 << 8), VALUE(VS_1_3, 1 << 16 | 3 << 8),
        BIT(CCC_CTL_EN, 0),
        BIT(CAP2_BOH, 0), BIT(CAP2_NVMP, 1), BIT(CAP2_APST, 2), BIT(CAP2_SDS, 3), BIT(CAP2_SADM, 4),
        BIT(CAP2_DESO, 5),
        BIT(BOHC_BOS, 0), BIT(BOHC_OOS, 1), BIT(BOHC_SOOE, 2), BIT(BOHC_OOC, 3), BIT(BOHC_BB, 4),
    };
    compare(rows, ARRAY_LEN(rows));
}

TEST(ahci_regs_port_offsets_and_bits)
{
    static const struct row rows[] = {
        OFFSET(PORT_BASE, 0x100), OFFSET(PORT_STRIDE, 0x80), VALUE(PORT_MAX, 32),
        OFFSET(PxCLB, 0x00), OFFSET(PxCLBU, 0x04), OFFSET(PxFB, 0x08), OFFSET(PxFBU, 0x0c),
        OFFSET(PxIS, 0x10), OFFSET(PxIE, 0x14), OFFSET(PxCMD, 0x18), OFFSET(PxTFD, 0x20),
        OFFSET(PxSIG, 0x24), OFFSET(PxSSTS, 0x28), OFFSET(PxSCTL, 0x2c), OFFSET(PxSERR, 0x30),
        OFFSET(PxSACT, 0x34), OFFSET(PxCI, 0x38), OFFSET(PxSNTF, 0x3c), OFFSET(PxFBS, 0x40),
        OFFSET(PxDEVSLP, 0x44),
        BIT(PxIS_DHRS, 0), BIT(PxIS_PSS, 1), BIT(PxIS_DSS, 2), BIT(PxIS_SDBS, 3), BIT(PxIS_UFS, 4),
        BIT(PxIS_DPS, 5), BIT(PxIS_PCS, 6), BIT(PxIS_DMPS, 7), BIT(PxIS_PRCS, 22), BIT(PxIS_IPMS, 23),
        BIT(PxIS_OFS, 24), BIT(PxIS_INFS, 26), BIT(PxIS_IFS, 27), BIT(PxIS_HBDS, 28), BIT(PxIS_HBFS, 29),
        BIT(PxIS_TFES, 30), BIT(PxIS_CPDS, 31),
        BIT(PxCMD_ST, 0), BIT(PxCMD_SUD, 1), BIT(PxCMD_POD, 2), BIT(PxCMD_CLO, 3), BIT(PxCMD_FRE, 4),
        FIELD(PxCMD_CCS_MASK, 12, 8), VALUE(PxCMD_CCS_SHIFT, 8), BIT(PxCMD_MPSS, 13), BIT(PxCMD_FR, 14),
        BIT(PxCMD_CR, 15), BIT(PxCMD_CPS, 16), BIT(PxCMD_PMA, 17), BIT(PxCMD_HPCP, 18), BIT(PxCMD_MPSP, 19),
        BIT(PxCMD_CPD, 20), BIT(PxCMD_ESP, 21), BIT(PxCMD_FBSCP, 22), BIT(PxCMD_APSTE, 23),
        BIT(PxCMD_ATAPI, 24), BIT(PxCMD_DLAE, 25), BIT(PxCMD_ALPE, 26), BIT(PxCMD_ASP, 27),
        FIELD(PxCMD_ICC_MASK, 31, 28), BIT(PxCMD_ICC_ACTIVE, 28),
        FIELD(PxTFD_STS_MASK, 7, 0), VALUE(PxTFD_ERR_SHIFT, 8),
        FIELD(PxSSTS_DET_MASK, 3, 0), VALUE(PxSSTS_DET_NONE, 0), VALUE(PxSSTS_DET_SEEN, 1),
        VALUE(PxSSTS_DET_UP, 3), VALUE(PxSSTS_DET_OFFLINE, 4), VALUE(PxSSTS_SPD_SHIFT, 4),
        FIELD(PxSSTS_SPD_MASK, 7, 4), VALUE(PxSSTS_IPM_SHIFT, 8), FIELD(PxSSTS_IPM_MASK, 11, 8),
        BIT(PxSSTS_IPM_ACTIVE, 8),
        FIELD(PxSCTL_DET_MASK, 3, 0), VALUE(PxSCTL_DET_COMRESET, 1),
        FIELD(PxSCTL_IPM_NO_PARTIAL_SLUMBER, 9, 8), BIT(PxSCTL_IPM_NO_DEVSLP, 10),
        BIT(PxSERR_DIAG_N, 16), BIT(PxSERR_DIAG_X, 26), FIELD(PxSERR_ALL, 31, 0),
        BIT(PxFBS_EN, 0), BIT(PxDEVSLP_ADSE, 0),
        VALUE(SIG_ATA, 0x101), VALUE(SIG_ATAPI, 0xeb140101), VALUE(SIG_PMP, 0x96690101),
        VALUE(SIG_SEMB, 0xc33c0101), VALUE(SIG_NONE, UINT32_MAX),
    };
    compare(rows, ARRAY_LEN(rows));
}

TEST(ahci_regs_memory_structures)
{
    static const struct row rows[] = {
        VALUE(RFIS_BYTES, 0x100), OFFSET(RFIS_DSFIS, 0), OFFSET(RFIS_PSFIS, 32), OFFSET(RFIS_RFIS, 64),
        OFFSET(RFIS_SDBFIS, 88), OFFSET(RFIS_UFIS, 96),
        FIELD(CH_CFL_MASK, 4, 0), BIT(CH_A, 5), BIT(CH_W, 6), BIT(CH_P, 7), BIT(CH_R, 8), BIT(CH_B, 9),
        BIT(CH_C, 10), VALUE(CH_PMP_SHIFT, 12), VALUE(CH_PRDTL_SHIFT, 16),
        OFFSET(CT_PRD_OFFSET, 128), VALUE(PRD_BYTES_MAX, 4194304), FIELD(PRD_DBC_MASK, 21, 0),
        VALUE(FIS_REG_H2D, 0x27), VALUE(FIS_REG_D2H, 0x34), VALUE(FIS_DMA_SETUP, 0x41),
        VALUE(FIS_SDB, 0xa1), VALUE(FIS_PIO_SETUP, 0x5f), VALUE(FIS_H2D_BYTES, 20),
        { "header", sizeof(struct ahci_cmd_header), 32 },
        { "header.prdbc", offsetof(struct ahci_cmd_header, prdbc), 4 },
        { "header.ctba", offsetof(struct ahci_cmd_header, ctba), 8 },
        { "header.ctbau", offsetof(struct ahci_cmd_header, ctbau), 12 },
        { "prd", sizeof(struct ahci_prd), 16 },
        { "prd.dbau", offsetof(struct ahci_prd, dbau), 4 },
        { "prd.dbc", offsetof(struct ahci_prd, dbc), 12 },
        { "table.cfis", offsetof(struct ahci_cmd_table, cfis), 0 },
        { "table.acmd", offsetof(struct ahci_cmd_table, acmd), 64 },
        { "table.prdt", offsetof(struct ahci_cmd_table, prdt), 128 },
    };
    compare(rows, ARRAY_LEN(rows));
}

TEST(ata_regs_status_error_and_opcodes)
{
    static const struct row rows[] = {
        BIT(ATA_STATUS_ERR, 0), BIT(ATA_STATUS_DRQ, 3), BIT(ATA_STATUS_DF, 5), BIT(ATA_STATUS_DRDY, 6),
        BIT(ATA_STATUS_BSY, 7), BIT(ATA_ERR_ABRT, 2), BIT(ATA_ERR_IDNF, 4), BIT(ATA_ERR_UNC, 6),
        BIT(ATA_ERR_ICRC, 7), BIT(ATA_DEVICE_LBA, 6),
        VALUE(ATA_DATA_SET_MANAGEMENT, 0x06), VALUE(ATA_READ_SECTORS, 0x20), VALUE(ATA_READ_SECTORS_EXT, 0x24),
        VALUE(ATA_READ_DMA_EXT, 0x25), VALUE(ATA_READ_NATIVE_MAX_EXT, 0x27), VALUE(ATA_READ_LOG_EXT, 0x2f),
        VALUE(ATA_WRITE_SECTORS_EXT, 0x34), VALUE(ATA_WRITE_DMA_EXT, 0x35), VALUE(ATA_SET_MAX_EXT, 0x37),
        VALUE(ATA_WRITE_DMA_FUA_EXT, 0x3d), VALUE(ATA_WRITE_LOG_EXT, 0x3f), VALUE(ATA_READ_VERIFY_EXT, 0x42),
        VALUE(ATA_READ_LOG_DMA_EXT, 0x47), VALUE(ATA_READ_FPDMA_QUEUED, 0x60),
        VALUE(ATA_WRITE_FPDMA_QUEUED, 0x61), VALUE(ATA_SEND_FPDMA_QUEUED, 0x64),
        VALUE(ATA_DOWNLOAD_MICROCODE, 0x92), VALUE(ATA_SMART, 0xb0), VALUE(ATA_DEVICE_CONFIGURATION, 0xb1),
        VALUE(ATA_SANITIZE_DEVICE, 0xb4), VALUE(ATA_READ_DMA, 0xc8), VALUE(ATA_WRITE_DMA, 0xca),
        VALUE(ATA_CHECK_POWER_MODE, 0xe5), VALUE(ATA_FLUSH_CACHE, 0xe7), VALUE(ATA_FLUSH_CACHE_EXT, 0xea),
        VALUE(ATA_IDENTIFY_DEVICE, 0xec), VALUE(ATA_SET_FEATURES, 0xef),
        VALUE(ATA_SECURITY_SET_PASSWORD, 0xf1), VALUE(ATA_SECURITY_UNLOCK, 0xf2),
        VALUE(ATA_SECURITY_ERASE_PREPARE, 0xf3), VALUE(ATA_SECURITY_ERASE_UNIT, 0xf4),
        VALUE(ATA_SECURITY_FREEZE_LOCK, 0xf5), VALUE(ATA_SECURITY_DISABLE_PASSWORD, 0xf6),
        VALUE(ATA_READ_NATIVE_MAX, 0xf8), VALUE(ATA_SET_MAX, 0xf9),
        BIT(ATA_DSM_FEATURE_TRIM, 0), VALUE(ATA_DSM_BLOCK_BYTES, 512), VALUE(ATA_DSM_ENTRY_BYTES, 8),
        VALUE(ATA_DSM_ENTRIES_PER_BLOCK, 512 / 8), VALUE(ATA_DSM_ENTRY_SECTORS_MAX, UINT16_MAX),
        VALUE(ATA_LBA48_SECTORS_MAX, 1 << 16), VALUE(ATA_LBA28_SECTORS_MAX, 1 << 8),
        BIT(ATA_LBA28_END, 28), BIT(ATA_LBA48_END, 48), VALUE(ATA_LOG_NCQ_ERROR, 16),
    };
    compare(rows, ARRAY_LEN(rows));
}

/* IDENTIFY words: the number in each name is typed here once more, with what the word holds (ACS-3 7.12.7). */
TEST(ata_regs_identify_words)
{
    static const struct row rows[] = {
        VALUE(ATA_IDENTIFY_BYTES, 512),
        VALUE(ID_W000_GENERAL, 0), VALUE(ID_W002_SPECIFIC, 2), VALUE(ID_W010_SERIAL, 10),
        VALUE(ID_W023_FIRMWARE, 23), VALUE(ID_W027_MODEL, 27), VALUE(ID_W048_TRUSTED, 48),
        VALUE(ID_W049_CAPABILITIES, 49), VALUE(ID_W053_VALIDITY, 53), VALUE(ID_W059_SANITIZE, 59),
        VALUE(ID_W060_LBA28, 60), VALUE(ID_W063_MWDMA, 63), VALUE(ID_W069_ADDITIONAL, 69),
        VALUE(ID_W075_QUEUE_DEPTH, 75), VALUE(ID_W076_SATA_CAP, 76), VALUE(ID_W077_SATA_CAP2, 77),
        VALUE(ID_W078_SATA_FEATURES, 78), VALUE(ID_W079_SATA_ENABLED, 79), VALUE(ID_W080_MAJOR, 80),
        VALUE(ID_W081_MINOR, 81), VALUE(ID_W082_SUPPORTED, 82), VALUE(ID_W083_LBA48, 83),
        VALUE(ID_W084_SUPPORTED_EXT, 84), VALUE(ID_W085_ENABLED, 85), VALUE(ID_W086_ENABLED2, 86),
        VALUE(ID_W087_ENABLED_EXT, 87), VALUE(ID_W088_UDMA, 88), VALUE(ID_W089_ERASE_TIME, 89),
        VALUE(ID_W090_ENH_ERASE_TIME, 90), VALUE(ID_W091_APM, 91), VALUE(ID_W092_MASTER_ID, 92),
        VALUE(ID_W100_LBA48_SECTORS, 100), VALUE(ID_W105_DSM_BLOCKS, 105), VALUE(ID_W106_SECTOR_SIZE, 106),
        VALUE(ID_W108_WWN, 108), VALUE(ID_W117_LOGICAL_WORDS, 117), VALUE(ID_W119_SUPPORTED3, 119),
        VALUE(ID_W120_ENABLED3, 120), VALUE(ID_W128_SECURITY, 128), VALUE(ID_W168_FORM_FACTOR, 168),
        VALUE(ID_W169_DSM, 169), VALUE(ID_W206_SCT, 206), VALUE(ID_W209_ALIGNMENT, 209),
        VALUE(ID_W217_ROTATION, 217), VALUE(ID_W222_TRANSPORT, 222), VALUE(ID_W230_EXT_SECTORS, 230),
        VALUE(ID_W255_INTEGRITY, 255),
    };
    compare(rows, ARRAY_LEN(rows));
}

/* clang-format on */

/* Every name in the two headers has its row here: a new one without is found. */
TEST(regs_every_name_has_a_row)
{
    static const char *const headers[] = { "ahci/ahci_regs.h", "ata/ata_regs.h" };
    static char self[64 << 10];
    FILE *in = fopen("tests/test_ahci_regs.c", "r");
    CHECK(in != NULL); /* run from the top of the tree */
    size_t bytes = fread(self, 1, sizeof(self) - 1, in);
    fclose(in);
    CHECK(bytes > 0 && bytes < sizeof(self) - 1);
    self[bytes] = '\0';
    unsigned names = 0;
    for (size_t i = 0; i < ARRAY_LEN(headers); i++) {
        char line[256];
        in = fopen(headers[i], "r");
        CHECK(in != NULL);
        while (fgets(line, sizeof(line), in) != NULL) {
            char name[64];
            char row[80];
            int end = 0;
            if (sscanf(line, "#define %63[A-Za-z0-9_]%n", name, &end) != 1 || line[end] != ' ') {
                continue; /* no define, or one with parameters */
            }
            if (strstr(name, "_REGS_H") != NULL || strcmp(name, "AHCI_PRDS_PER_TABLE") == 0) {
                continue; /* include guards; our own choice */
            }
            names++;
            snprintf(row, sizeof(row), "(%s,", name);
            bool found = strstr(self, row) != NULL;
            if (!found) {
                printf("  no row for %s of %s\n", name, headers[i]);
            }
            CHECK(found);
        }
        fclose(in);
    }
    CHECK(names > 200);
}

TEST_MAIN
