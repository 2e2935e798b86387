/** The exit codes of every command. */
export const exitCodes = {
  0: 'done',
  1: 'the program or a kernel failed or a check found an error',
  2: 'the command line is wrong',
  3: 'a check reached a bound',
} as const;

/** The exit codes as a list of the help. */
export function exitCodesText(): string {
  const lines = Object.entries(exitCodes).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return ['Exit codes:', ...lines].join('\n');
}
