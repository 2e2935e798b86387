/**
 * Why blocks of code in languages other than TypeScript and JavaScript are not run here, and who
 * looks at them instead.
 */
export const otherLanguages: Readonly<Record<string, string>> = {
  '': 'listings and sessions: what stands behind a prompt as a command of nccl-ts is held against its options',
  sh: 'commands: those of nccl-ts are held against its options; the others install packages or need a GPU',
  text: 'what a command prints: the tests of apps/examples compare those of docs/museum with the command',
  diff: 'the difference between two files of apps/examples, whose tests check both',
  cuda: 'CUDA C++: the tests of apps/cli and apps/examples compile the same kernels where nvcc is',
  python: 'Triton, which is not installed here',
  yaml: 'a workflow: it runs at the forge',
};
