import type { Node, Symbol as TsSymbol } from 'typescript';
import { escapeHtml } from '../../src/escape-html.ts';
import type { PublicApi } from './public-symbols.ts';
import { ts } from './typescript.ts';

/** The text of declarations without comments, with a link at each name that is described. */
export function signatureHtml(nodes: readonly Node[], { checker, hrefs }: PublicApi, self?: TsSymbol): string {
  const html = nodes
    .map((node) => {
      const text = node.getText();
      const links = new Map<number, string>();
      const start = node.getStart();
      const visit = (one: Node): void => {
        if (ts.isIdentifier(one)) {
          const found = checker.getSymbolAtLocation(one);
          const symbol =
            found !== undefined && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
          const href = symbol === undefined || symbol === self ? undefined : hrefs.get(symbol);
          if (href !== undefined) links.set(one.getStart() - start, href);
        }
        ts.forEachChild(one, visit);
      };
      visit(node);
      return tokens(text, links);
    })
    .join('\n');
  return `<div class="language-ts signature"><pre v-pre tabindex="0"><code>${html}</code></pre></div>`;
}

function tokens(text: string, links: ReadonlyMap<number, string>): string {
  const scanner = ts.createScanner(ts.ScriptTarget.ES2022, false, ts.LanguageVariant.Standard, text);
  let html = '';
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    const part = scanner.getTokenText();
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia) continue;
    if (kind === ts.SyntaxKind.DeclareKeyword) {
      // Everything here is declared.
      scanner.scan();
      continue;
    }
    const href = links.get(scanner.getTokenStart());
    html += href === undefined ? escapeHtml(part) : `<a href="${href}">${escapeHtml(part)}</a>`;
  }
  return html
    .replaceAll(/\n[ \t]*(?=\n)/g, '')
    .replaceAll(/^ +/gm, (spaces) => ' '.repeat(spaces.length / 2))
    .replaceAll(/\n *#private;/g, '');
}
