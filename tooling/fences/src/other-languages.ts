/**
 * The reasons why blocks of code in other languages are not run here, and the tests that check them
 * instead.
 */
export const otherLanguages: Readonly<Record<string, string>> = {
  '': 'listings and sessions, in which commands of nccl-ts after a prompt are checked against its options',
  json: 'a program in JSON, which the test of packages/launch-json reads',
  html: 'a page: the test of the guides builds it',
  sh: 'commands: those of nccl-ts are held against its options; the others install packages or need a GPU',
  text: 'the output of a command, which the test of the guides compares, and for docs/museum that of apps/examples',
  diff: 'an edit, which the test of the guides makes, and which for docs/museum lies between two checked files',
  cuda: 'CUDA C++: the tests of apps/cli and apps/examples compile the same kernels if nvcc is installed',
  ptx: 'PTX: the test of the guides checks the same kernel',
  python: 'Python, whose package has tests of its own in apps/python',
  yaml: 'a workflow, which only the forge runs',
};
