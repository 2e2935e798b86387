import {
  continuedIndent,
  delimitedIndent,
  flatIndent,
  indentNodeProp,
  LanguageSupport,
  LRLanguage,
} from '@codemirror/language';
import { parser } from '@lezer/javascript';

/**
 * TypeScript's colours and indentation. The ready-made language package would add its own
 * completions.
 */
export function typescript(): LanguageSupport {
  return new LanguageSupport(
    LRLanguage.define({
      name: 'typescript',
      parser: parser.configure({
        dialect: 'ts',
        props: [
          indentNodeProp.add({
            IfStatement: continuedIndent({ except: /^\s*(?:\{|else\b)/ }),
            Block: delimitedIndent({ closing: '}' }),
            ArrowFunction: (context) => context.baseIndent + context.unit,
            'TemplateString BlockComment': () => null,
            'Statement Property': continuedIndent({ except: /^\s*\{/ }),
            Script: flatIndent,
          }),
        ],
      }),
      languageData: { closeBrackets: { brackets: ['(', '[', '{', "'", '"', '`'] }, commentTokens: { line: '//' } },
    }),
  );
}
