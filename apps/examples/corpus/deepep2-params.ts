/** The bytes of the WorkspaceLayout of DeepEP V2 before its counts of tensors sent and received. */
const beforeCounts = 16 + 3072 * 8 + 2 * 3072 * 8 + 1024 * 4 + 2 * 3072 * 4 + 1024 * 1024 * 8 + 1024 * 1024 * 4;

/** Without the signals of its gathers, which no kernel here uses. */
export const workspaceBytes = beforeCounts + 4 * 8;

/** ElasticBuffer's requirements of NCCL, with `qps` queue pairs. */
export const requirements = (nRanks: number, qps: number) => ({
  ginConnectionType: 'full' as const,
  ginContextCount: qps,
  ginSignalCount: nRanks + 4,
});
