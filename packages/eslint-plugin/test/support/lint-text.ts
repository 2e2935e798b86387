import { plugin } from '@nccl-ts/eslint-plugin';

/** The messages of all rules for a text, in the order of the rules. */
export function lintText(text: string, file = '/nowhere/program.ts'): readonly string[] {
  const messages: string[] = [];
  const sourceCode = { text, getLocFromIndex: (index: number) => ({ line: 1, column: index }) };
  for (const [name, rule] of Object.entries(plugin.rules)) {
    const report = ({ message }: { readonly message: string }): void => {
      messages.push(`${name}: ${message}`);
    };
    rule.create({ physicalFilename: file, sourceCode, report }).Program(undefined);
  }
  return messages;
}
