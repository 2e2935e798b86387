import type { Declaration, JSDocTagInfo, Node, Symbol as TsSymbol } from 'typescript';
import { publicApi, type PublicApi, type PublicSymbol } from './public-symbols.ts';
import { signatureHtml } from './signature-html.ts';
import { ts } from './typescript.ts';

/** The API of all packages as Markdown. */
export interface ApiPages {
  /** By the folder of the package. */
  readonly packages: ReadonlyMap<string, string>;
  /** The page with the counterpart of each name of NCCL. */
  readonly ncclNames: string;
}

export function apiPages(): ApiPages {
  const api = publicApi();
  const packages = new Map<string, string>();
  for (const [folder, symbols] of api.packages) {
    if (symbols.length > 0) packages.set(folder, pageOf(folder, symbols, api));
  }
  return { packages, ncclNames: ncclNamesPage(api) };
}

/** A table from the names of NCCL that doc comments give. */
function ncclNamesPage(api: PublicApi): string {
  const rows = new Map<string, string>();
  const add = (symbol: TsSymbol, label: string, href: string): void => {
    for (const { name, text } of symbol.getJsDocTags(api.checker)) {
      const [nccl = ''] = /^nccl[\w:]+/i.exec(name === 'see' ? ts.displayPartsToString(text) : '') ?? [];
      const [summary = ''] = documentationOf(symbol, api)[0]?.split(/(?<=\.)\s/) ?? [];
      const shown = summary.startsWith('**') ? '' : summary.replaceAll('\n', ' ').replaceAll('|', '\\|');
      if (nccl !== '')
        rows.set(`${nccl} ${label}`, `| ${breakable(nccl)} | [${breakable(label)}](${href}) | ${shown} |`);
    }
  };
  for (const [symbol, href] of api.hrefs) {
    add(symbol, symbol.name, href);
    for (const member of new Set((symbol.declarations ?? []).flatMap(membersOf))) {
      const isNamed = symbol.name.toLowerCase() !== member.name.toLowerCase();
      if (isNamed) add(member, `${symbol.name}.${member.name}`, `${href}.${member.name}`);
    }
  }
  // Functions and types come before the constants in capitals.
  const isConstant = ([name]: readonly [string, string]): boolean => name.startsWith('NCCL_');
  const sorted = [...rows]
    .toSorted((a, b) => Number(isConstant(a)) - Number(isConstant(b)) || a[0].localeCompare(b[0], 'en'))
    .map(([, row]) => row);
  return [
    '# From NCCL to nccl-ts',
    'Each name of NCCL, of its C API and of its device API, with what stands for it here. The descriptions come from the API of each package.',
    `| NCCL | nccl-ts | meaning |\n| --- | --- | --- |\n${sorted.join('\n')}`,
  ].join('\n\n');
}

/** A name as code that breaks between its words. */
function breakable(name: string): string {
  return `<code>${name.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[_.])|(?=::)/g, '<wbr>')}</code>`;
}

function pageOf(folder: string, symbols: readonly PublicSymbol[], api: PublicApi): string {
  const name = symbols[0]?.specifier.split('/').slice(0, 2).join('/') ?? folder;
  const ownName = name.startsWith('@') ? name : name.split('/')[0];
  const described = symbols.filter(({ symbol }) => api.hrefs.get(symbol)?.startsWith(`/packages/${folder}/`));
  const others = symbols.filter((one) => !described.includes(one));
  const lines = [
    `# API of ${ownName}`,
    `Every symbol that \`${ownName}\` exports. Its [README](/packages/${folder}/) says what the package is for.`,
    ...described.flatMap((one) => sectionOf(one, api)),
  ];
  if (others.length > 0) {
    const links = others.map(({ name: other, symbol }) => `[\`${other}\`](${api.hrefs.get(symbol) ?? ''})`);
    lines.push(
      '<h2 id="of-other-packages" tabindex="-1">Also exported</h2>',
      `From other packages: ${links.join(', ')}.`,
    );
  }
  return lines.filter((line) => line !== '').join('\n\n');
}

function sectionOf({ name, specifier, symbol }: PublicSymbol, api: PublicApi): readonly string[] {
  const declarations = symbol.declarations ?? [];
  const members = [...new Set(declarations.flatMap(membersOf))]
    .map((member) => ({ member, text: documentationOf(member, api) }))
    .filter(({ text }) => text.length > 0);
  // A member that needs a sentence stands in a list: its type is in the block above.
  const short = members.filter(({ text }) => text.every((part) => !part.includes('\n\n') && !isOfNccl(part)));
  const long = members.filter((one) => !short.includes(one));
  return [
    headingOf(2, name, name, kindOf(declarations[0])),
    `\`import { ${name} } from '${specifier}'\``,
    signatureHtml(declarations.map(wholeOf), api, symbol),
    ...documentationOf(symbol, api),
    short.map(({ member, text }) => `- \`${member.name}\`: ${text.join(' ').replaceAll('\n', ' ')}`).join('\n'),
    ...long.flatMap(({ member, text }) => [
      headingOf(3, `${name}.${member.name}`, `${name}.${member.name}`),
      signatureHtml(member.declarations ?? [], api),
      ...text,
    ]),
  ];
}

function isOfNccl(part: string): boolean {
  return part.startsWith('**NCCL:**');
}

function headingOf(level: number, id: string, text: string, kind = ''): string {
  const badge = kind === '' ? '' : ` <small>${kind}</small>`;
  const anchor = `<a class="header-anchor" href="#${id}" aria-label="Permalink to “${text}”">&#8203;</a>`;
  return `<h${level} id="${id}" tabindex="-1">${text}${badge} ${anchor}</h${level}>`;
}

/** The statement of a variable, and any other declaration itself. */
function wholeOf(declaration: Declaration): Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function kindOf(declaration: Declaration | undefined): string {
  if (declaration === undefined) return '';
  if (ts.isInterfaceDeclaration(declaration)) return 'interface';
  if (ts.isTypeAliasDeclaration(declaration)) return 'type';
  if (ts.isClassDeclaration(declaration)) return 'class';
  if (ts.isFunctionDeclaration(declaration)) return 'function';
  return ts.isVariableDeclaration(declaration) ? 'constant' : '';
}

function membersOf(declaration: Declaration): readonly TsSymbol[] {
  const has =
    ts.isInterfaceDeclaration(declaration) ||
    ts.isClassDeclaration(declaration) ||
    (ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type));
  if (!has) return [];
  const list = ts.isTypeAliasDeclaration(declaration)
    ? ts.isTypeLiteralNode(declaration.type)
      ? declaration.type.members
      : []
    : declaration.members;
  return [...list].flatMap((member) => {
    const { name } = member;
    if (name === undefined || !ts.isIdentifier(name)) return [];
    // Each member's node has its symbol once the program is bound.
    const { symbol }: Declaration & { readonly symbol?: TsSymbol } = member;
    return symbol === undefined ? [] : [symbol];
  });
}

const titles: Readonly<Record<string, string>> = {
  default: 'Default',
  throws: 'Throws',
  returns: 'Returns',
  example: 'Example',
  deprecated: 'Deprecated',
};

/** A doc comment as Markdown: its text, then its tags. */
function documentationOf(symbol: TsSymbol, api: PublicApi): readonly string[] {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(api.checker));
  const tags = symbol.getJsDocTags(api.checker).map((tag) => tagOf(tag, api));
  return [text, ...tags].filter((part) => part.trim() !== '').map((part) => markdownOf(part, api));
}

function tagOf({ name, text: parts }: JSDocTagInfo, api: PublicApi): string {
  const text = ts.displayPartsToString(parts).trim();
  if (name === 'param') {
    const [parameter = '', ...rest] = text.split(/\s+/);
    return `- \`${parameter}\`: ${rest.join(' ').replace(/^- /, '')}`;
  }
  if (name === 'see') {
    const [first = '', ...rest] = text.split(/(?=[\s,])/);
    return /^ncc?l/i.test(first) ? `**NCCL:** \`${first}\`${rest.join('')}` : `**See** ${linked(text, api)}`;
  }
  const title = titles[name];
  return title === undefined ? '' : `**${title}:** ${text.startsWith('```') ? `\n\n${text}` : text}`;
}

/** Resolves `{@link Name}`, and keeps `<` outside of code from becoming a tag. */
function markdownOf(text: string, api: PublicApi): string {
  return text
    .split(/(```[\s\S]*?```|`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : linked(part.replaceAll('<', '&lt;'), api)))
    .join('');
}

function linked(text: string, api: PublicApi): string {
  return text.replaceAll(/\{@link\s+([\w.]+)\s*([^}]*)\}/g, (_, name: string, shown: string) => {
    const [first = ''] = name.split('.');
    const href = [...api.hrefs].find(([symbol]) => symbol.name === first)?.[1];
    const label = shown === '' ? `\`${name}\`` : shown;
    return href === undefined ? label : `[${label}](${href})`;
  });
}
