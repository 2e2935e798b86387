/**
 * Why blocks of code in languages other than TypeScript and JavaScript are not run here, and the
 * test that checks them instead.
 */
export const otherLanguages: Readonly<Record<string, string>> = {
  '': 'listings and sessions: what stands behind a prompt as a command of nccl-ts is held against its options',
  html: 'a page: the test of the guides builds it',
  sh: 'commands: those of nccl-ts are held against its options; the others install packages or need a GPU',
  text: 'what a command prints: the test of the guides compares it, and that of apps/examples does for docs/museum',
  diff: 'an edit: the test of the guides makes it, and those of docs/museum are between two checked files',
  cuda: 'CUDA C++: the tests of apps/cli and apps/examples compile the same kernels where nvcc is',
  python: 'Triton, which is not installed here',
  yaml: 'a workflow: it runs at the forge',
};
