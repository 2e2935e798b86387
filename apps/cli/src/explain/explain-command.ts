import { Command } from 'commander';
import { colorsFor } from '../output/colors.ts';
import { printOut } from '../output/print.ts';
import { UsageError } from '../usage-error.ts';

const notes = `
A code is that of an error (NCCLTS_DEADLOCK) or a report (K1005, P2001), or a kind of finding (race, race/scope). Without a code, the command lists all of them.

Examples:
  nccl-ts explain K1005
  nccl-ts explain race/acquire`;

interface ExplainOptions {
  readonly markdown?: true;
}

/** `nccl-ts explain CODE`: the meaning of a code, an example, and the fix. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('explain a code of an error, a report or a finding, with an example and a fix')
    .argument('[code]', 'the code')
    .option('--markdown', 'Prints one line for each code.')
    .addHelpText('after', notes)
    .action(async (code: string | undefined, { markdown }: ExplainOptions) => {
      const [{ codeGroups, explanationOf }, { codeListText, codesPage, explainText }] = await Promise.all([
        import('./explanations.ts'),
        import('./explain-text.ts'),
      ]);
      const colors = colorsFor(process.stdout);
      if (markdown === true) {
        printOut(codesPage(codeGroups));
        return;
      }
      if (code === undefined) {
        printOut(`${codeListText(codeGroups, colors)}\n`);
        return;
      }
      const found = explanationOf(code);
      if (found === undefined) {
        throw new UsageError(`there is no code ${code}; nccl-ts explain lists those that there are`);
      }
      printOut(`${explainText(...found, colors)}\n`);
    });
}
