/** The programs of nccl-tests that are predicted. */
export const predictedPrograms = ['all_reduce', 'all_gather', 'reduce_scatter', 'alltoall'] as const;
export type PredictedProgram = (typeof predictedPrograms)[number];

/** Selects programs from a list of names. */
export function programsOf(names: string): readonly PredictedProgram[] {
  const requested = names.split(',');
  return predictedPrograms.filter((name) => requested.includes(name));
}
