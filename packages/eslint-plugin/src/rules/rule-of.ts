import type { LintFinding, TextRepair } from '../analyse/finding.ts';
import { ModuleText } from '../evaluate/module-text.ts';
import { readModule } from '../evaluate/read-module.ts';
import type { LintRule, WritesFix } from './rule-types.ts';

const page = 'https://github.com/nccl-ts/nccl-ts/tree/main/packages/eslint-plugin#readme';

/** Makes a rule that reports the findings of `find` in each file that imports this project. */
export function ruleOf(description: string, find: (module: ModuleText) => readonly LintFinding[]): LintRule {
  return {
    meta: {
      type: 'problem',
      docs: { description, url: page },
      fixable: 'code',
      hasSuggestions: true,
      schema: [],
    },
    create: (context) => ({
      Program: () => {
        const { sourceCode, physicalFilename } = context;
        const module = parsed(physicalFilename, sourceCode.text);
        if (module === undefined) return;
        for (const { start, end, message, repairs } of find(module)) {
          const loc = { start: sourceCode.getLocFromIndex(start), end: sourceCode.getLocFromIndex(end) };
          const fix = repairs.find(({ kind }) => kind === 'fix');
          const suggest = repairs
            .filter(({ kind }) => kind === 'suggestion')
            .map((repair) => ({ desc: repair.title, fix: writing(repair) }));
          context.report({
            message,
            loc,
            ...(fix === undefined ? {} : { fix: writing(fix) }),
            ...(suggest.length === 0 ? {} : { suggest }),
          });
        }
      },
    }),
  };
}

function writing({ edits }: TextRepair): WritesFix {
  return (fixer) => edits.map(({ start, end, text }) => fixer.replaceTextRange([start, end], text));
}

/** Whatever has kernels imports them, or a file of the project that does. */
const hasKernels = /\bkernel\s*\(|\.launch\s*\(/;

/** The last module: the rules of one file run one after another. */
let last: ModuleText | undefined;

function parsed(file: string, text: string): ModuleText | undefined {
  if (!hasKernels.test(text)) return undefined;
  if (last?.file === file && last.text === text) return last;
  last = ModuleText.parse(file, text, readModule);
  return last;
}
