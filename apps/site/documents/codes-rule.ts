import type { MarkdownIt, State, Token } from './markdown-it.ts';

const FILE = 'docs/reference/codes.md';

/**
 * Makes each entry of the list of codes collapsible: its code and title stay, and a filter stands
 * above the groups. The first snippet of an entry is the mistake, the second one its repair.
 */
export function codesRule(markdown: MarkdownIt): void {
  markdown.core.ruler.push('codes', (state) => {
    if (state.env.frontmatter?.file === FILE) state.tokens = [...entries(state)];
  });
}

function* entries({ tokens, Token: Made }: State): Generator<Token> {
  const html = (text: string): Token => {
    const token = new Made('html_block', '', 0);
    token.content = text;
    return token;
  };
  let group = '';
  let isOpen = false;
  let isFiltered = false;
  let inTitle = false;
  let snippets = 0;
  for (const [i, token] of tokens.entries()) {
    const level = token.type === 'heading_open' ? token.tag : '';
    if (level === 'h2' || level === 'h3') {
      if (isOpen) yield html('</details>\n');
      isOpen = level === 'h3';
      if (level === 'h2') group = tokens[i + 1]?.content ?? '';
      if (!isFiltered) yield html('<CodesFilter />\n');
      isFiltered = true;
      if (isOpen) yield html('<details class="code-entry"><summary>\n');
      inTitle = isOpen;
      snippets = 0;
    }
    if (inTitle && token.type.startsWith('paragraph_')) token.tag = 'span';
    if (isOpen && token.type === 'fence') {
      snippets++;
      token.info = languageOf(token.content, group);
      yield html(`<p class="snippet">${snippets > 1 ? 'Right' : group === 'Errors' ? 'Example' : 'Wrong'}</p>\n`);
    }
    // A link to the heading would be one control inside another. An entry that opens shows its
    // address.
    if (inTitle && token.type === 'inline') token.children = withoutAnchor(token.children ?? []);
    yield token;
    if (inTitle && token.type === 'paragraph_close') {
      yield html('</summary>\n');
      inTitle = false;
    }
  }
  if (isOpen) yield html('</details>\n');
}

function withoutAnchor(children: readonly Token[]): readonly Token[] {
  const at = children.findIndex((one) => one.type === 'link_open' && one.attrGet('class') === 'header-anchor');
  return at < 0 ? children : children.slice(0, at);
}

/** Some examples are sentences, and some are commands. */
function languageOf(text: string, group: string): string {
  if (group === 'PTX') return 'ptx';
  if (/^(?:npx|nccl-ts|npm|node|sudo|export \w+=)/.test(text)) return 'sh';
  return /[;{}=]|\w\(/.test(text) ? 'ts' : 'text';
}
