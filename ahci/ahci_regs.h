/* Registers and memory structures of an AHCI controller: the specification's own words
 * (AHCI 1.3.1; section numbers behind each block), nothing of ours. */
#ifndef AHCI_AHCI_REGS_H
#define AHCI_AHCI_REGS_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* Generic host control, offsets in ABAR (3.1) */
#define HBA_CAP       0x00u
#define HBA_GHC       0x04u
#define HBA_IS        0x08u
#define HBA_PI        0x0cu
#define HBA_VS        0x10u
#define HBA_CCC_CTL   0x14u
#define HBA_CCC_PORTS 0x18u
#define HBA_EM_LOC    0x1cu
#define HBA_EM_CTL    0x20u
#define HBA_CAP2      0x24u
#define HBA_BOHC      0x28u

#define CAP_NP_MASK   0x0000001fu /* number of ports - 1 */
#define CAP_SXS       (1u << 5)
#define CAP_EMS       (1u << 6)
#define CAP_CCCS      (1u << 7)
#define CAP_NCS_SHIFT 8           /* command slots - 1 */
#define CAP_NCS_MASK  0x00001f00u
#define CAP_PSC       (1u << 13)
#define CAP_SSC       (1u << 14)
#define CAP_PMD       (1u << 15)
#define CAP_FBSS      (1u << 16)
#define CAP_SPM       (1u << 17)
#define CAP_SAM       (1u << 18)
#define CAP_ISS_SHIFT 20
#define CAP_ISS_MASK  0x00f00000u
#define CAP_SCLO      (1u << 24)
#define CAP_SAL       (1u << 25)
#define CAP_SALP      (1u << 26)
#define CAP_SSS       (1u << 27)
#define CAP_SMPS      (1u << 28)
#define CAP_SSNTF     (1u << 29)
#define CAP_SNCQ      (1u << 30)
#define CAP_S64A      (1u << 31)

#define GHC_HR        (1u << 0)
#define GHC_IE        (1u << 1)
#define GHC_MRSM      (1u << 2)
#define GHC_AE        (1u << 31)

#define VS_1_2        0x00010200u
#define VS_1_3        0x00010300u

#define CCC_CTL_EN    (1u << 0)

#define CAP2_BOH      (1u << 0)
#define CAP2_NVMP     (1u << 1)
#define CAP2_APST     (1u << 2)
#define CAP2_SDS      (1u << 3)
#define CAP2_SADM     (1u << 4)
#define CAP2_DESO     (1u << 5)

#define BOHC_BOS      (1u << 0)
#define BOHC_OOS      (1u << 1)
#define BOHC_SOOE     (1u << 2)
#define BOHC_OOC      (1u << 3)
#define BOHC_BB       (1u << 4)

/* Port registers, offsets from the port's block (3.3) */
#define PORT_BASE     0x100u
#define PORT_STRIDE   0x80u
#define PORT_MAX      32u

#define PxCLB         0x00u
#define PxCLBU        0x04u
#define PxFB          0x08u
#define PxFBU         0x0cu
#define PxIS          0x10u
#define PxIE          0x14u
#define PxCMD         0x18u
#define PxTFD         0x20u
#define PxSIG         0x24u
#define PxSSTS        0x28u
#define PxSCTL        0x2cu
#define PxSERR        0x30u
#define PxSACT        0x34u
#define PxCI          0x38u
#define PxSNTF        0x3cu
#define PxFBS         0x40u
#define PxDEVSLP      0x44u

#define PxIS_DHRS     (1u << 0)
#define PxIS_PSS      (1u << 1)
#define PxIS_DSS      (1u << 2)
#define PxIS_SDBS     (1u << 3)
#define PxIS_UFS      (1u << 4)
#define PxIS_DPS      (1u << 5)
#define PxIS_PCS      (1u << 6)
#define PxIS_DMPS     (1u << 7)
#define PxIS_PRCS     (1u << 22)
#define PxIS_IPMS     (1u << 23)
#define PxIS_OFS      (1u << 24)
#define PxIS_INFS     (1u << 26)
#define PxIS_IFS      (1u << 27)
#define PxIS_HBDS     (1u << 28)
#define PxIS_HBFS     (1u << 29)
#define PxIS_TFES     (1u << 30)
#define PxIS_CPDS     (1u << 31)

#define PxCMD_ST      (1u << 0)
#define PxCMD_SUD     (1u << 1)
#define PxCMD_POD     (1u << 2)
#define PxCMD_CLO     (1u << 3)
#define PxCMD_FRE     (1u << 4)
#define PxCMD_CCS_SHIFT 8
#define PxCMD_CCS_MASK 0x00001f00u
#define PxCMD_MPSS    (1u << 13)
#define PxCMD_FR      (1u << 14)
#define PxCMD_CR      (1u << 15)
#define PxCMD_CPS     (1u << 16)
#define PxCMD_PMA     (1u << 17)
#define PxCMD_HPCP    (1u << 18)
#define PxCMD_MPSP    (1u << 19)
#define PxCMD_CPD     (1u << 20)
#define PxCMD_ESP     (1u << 21)
#define PxCMD_FBSCP   (1u << 22)
#define PxCMD_APSTE   (1u << 23)
#define PxCMD_ATAPI   (1u << 24)
#define PxCMD_DLAE    (1u << 25)
#define PxCMD_ALPE    (1u << 26)
#define PxCMD_ASP     (1u << 27)
#define PxCMD_ICC_MASK 0xf0000000u
#define PxCMD_ICC_ACTIVE 0x10000000u

#define PxTFD_STS_MASK 0x000000ffu
#define PxTFD_ERR_SHIFT 8

#define PxSSTS_DET_MASK 0x0000000fu
#define PxSSTS_DET_NONE 0u
#define PxSSTS_DET_SEEN 1u
#define PxSSTS_DET_UP   3u
#define PxSSTS_DET_OFFLINE 4u
#define PxSSTS_SPD_SHIFT 4
#define PxSSTS_SPD_MASK 0x000000f0u
#define PxSSTS_IPM_SHIFT 8
#define PxSSTS_IPM_MASK 0x00000f00u
#define PxSSTS_IPM_ACTIVE 0x00000100u

#define PxSCTL_DET_MASK 0x0000000fu
#define PxSCTL_DET_COMRESET 1u
#define PxSCTL_IPM_NO_PARTIAL_SLUMBER 0x00000300u
#define PxSCTL_IPM_NO_DEVSLP 0x00000400u

#define PxSERR_DIAG_N (1u << 16) /* PhyRdy change */
#define PxSERR_DIAG_X (1u << 26) /* exchanged (COMINIT) */
#define PxSERR_ALL    0xffffffffu

#define PxFBS_EN      (1u << 0)
#define PxDEVSLP_ADSE (1u << 0)

/* PxSIG values */
#define SIG_ATA       0x00000101u
#define SIG_ATAPI     0xeb140101u
#define SIG_PMP       0x96690101u
#define SIG_SEMB      0xc33c0101u
#define SIG_NONE      0xffffffffu

/* Received FIS area, offsets (4.2.1) */
#define RFIS_BYTES    256u
#define RFIS_DSFIS    0x00u
#define RFIS_PSFIS    0x20u
#define RFIS_RFIS     0x40u
#define RFIS_SDBFIS   0x58u
#define RFIS_UFIS     0x60u

/* Command header, DW0 (4.2.2) */
#define CH_CFL_MASK   0x0000001fu
#define CH_A          (1u << 5)
#define CH_W          (1u << 6)
#define CH_P          (1u << 7)
#define CH_R          (1u << 8)
#define CH_B          (1u << 9)
#define CH_C          (1u << 10)
#define CH_PMP_SHIFT  12
#define CH_PRDTL_SHIFT 16

#define CT_PRD_OFFSET 0x80u
#define PRD_BYTES_MAX (4u << 20)
#define PRD_DBC_MASK  0x003fffffu

/* FIS types (Serial ATA) */
#define FIS_REG_H2D   0x27u
#define FIS_REG_D2H   0x34u
#define FIS_DMA_SETUP 0x41u
#define FIS_SDB       0xa1u
#define FIS_PIO_SETUP 0x5fu
#define FIS_H2D_BYTES 20u

/* clang-format on */

/* One of the 32 entries of a command list (4.2.2); 1 KiB, 1 KiB aligned as a whole. */
struct ahci_cmd_header {
    uint32_t dw0;
    uint32_t prdbc;
    uint32_t ctba;
    uint32_t ctbau;
    uint32_t reserved[4];
};
_Static_assert(sizeof(struct ahci_cmd_header) == 32, "AHCI 1.3.1 4.2.2");

/* Physical region descriptor (4.2.3.3) */
struct ahci_prd {
    uint32_t dba;
    uint32_t dbau;
    uint32_t reserved;
    uint32_t dbc;
};
_Static_assert(sizeof(struct ahci_prd) == 16, "AHCI 1.3.1 4.2.3.3");

/* Command table (4.2.3), 128-byte aligned. The number of PRDs is ours, the offsets are not. */
#define AHCI_PRDS_PER_TABLE 8u
struct ahci_cmd_table {
    uint8_t cfis[64];
    uint8_t acmd[16];
    uint8_t reserved[48];
    struct ahci_prd prdt[AHCI_PRDS_PER_TABLE];
};
_Static_assert(offsetof(struct ahci_cmd_table, acmd) == 0x40, "AHCI 1.3.1 4.2.3.2");
_Static_assert(offsetof(struct ahci_cmd_table, prdt) == CT_PRD_OFFSET, "AHCI 1.3.1 4.2.3.3");
_Static_assert(sizeof(struct ahci_cmd_table) % 128 == 0,
               "tables stay 128-byte aligned in an array");
_Static_assert(PxDEVSLP + 4 <= PORT_STRIDE, "AHCI 1.3.1 3.3");

#endif
