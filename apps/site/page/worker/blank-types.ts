import { Parser } from 'acorn';
import { tsPlugin } from '@sveltejs/acorn-typescript';

/** A node of the syntax tree. The parser's types do not include TypeScript's nodes. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const TypeScript = Parser.extend(tsPlugin());

/** @throws SyntaxError with the line, if the text is not a module. */
export function parseModule(text: string): SyntaxNode {
  const tree: unknown = TypeScript.parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  if (!isNode(tree)) throw new TypeError('The parser returned no tree.');
  return tree;
}

/**
 * The text without its types. The remaining characters keep their offsets, so positions in the
 * running text are positions in the author's text.
 *
 * @throws SyntaxError for syntax that TypeScript compiles to code: enums, namespaces, parameter
 * properties.
 */
export function blankTypes(text: string, tree: SyntaxNode): string {
  const characters = text.split('');
  const blank = (start: number, end: number): void => {
    for (let i = start; i < end; i++) if (characters[i] !== '\n' && characters[i] !== '\r') characters[i] = ' ';
  };
  visit(tree, text, blank);
  return characters.join('');
}

type Blank = (start: number, end: number) => void;

const wholly = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSIndexSignature',
]);
const refused: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'an enum',
  TSModuleDeclaration: 'a namespace',
  TSParameterProperty: 'a parameter property',
  TSTypeAssertion: 'a type assertion with angle brackets',
  TSImportEqualsDeclaration: 'import =',
  TSExportAssignment: 'export =',
};
const modifiers = ['accessibility', 'abstract', 'override', 'readonly', 'declare'];

function visit(node: SyntaxNode, text: string, blank: Blank): void {
  const refusal = refused[node.type];
  if (refusal !== undefined) throw new SyntaxError(`${refusal} is not supported: types must be removable in place`);
  if (isType(node)) {
    blank(node.start, node.end);
    return;
  }
  // Only the expression of a cast stays.
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'TSNonNullExpression') {
    const inner = node['expression'];
    if (isNode(inner)) {
      blank(inner.end, node.end);
      visit(inner, text, blank);
    }
    return;
  }
  if (node.type === 'Identifier' && node['optional'] === true) blankAfter(text, node, '?', blank);
  if (node.type === 'ImportSpecifier' || node.type === 'ExportSpecifier') {
    const isOfType = node['importKind'] === 'type' || node['exportKind'] === 'type';
    if (isOfType) blank(node.start, text[node.end] === ',' ? node.end + 1 : node.end);
  }
  if (modifiers.some((key) => node[key] !== undefined && node[key] !== false)) blankModifiers(node, text, blank);
  for (const [key, value] of Object.entries(node)) {
    if (key === 'loc') continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, text, blank);
  }
}

function isType(node: SyntaxNode): boolean {
  if (wholly.has(node.type)) return true;
  if (node.type === 'ImportDeclaration') return node['importKind'] === 'type';
  if (node.type.startsWith('Export')) {
    const { declaration } = node;
    return node['exportKind'] === 'type' || (isNode(declaration) && isType(declaration));
  }
  return node['declare'] === true && node.type === 'VariableDeclaration';
}

/** Blanks the type after a name, and the mark of an optional name before it. */
function blankAfter(text: string, node: SyntaxNode, mark: string, blank: Blank): void {
  const annotation = node['typeAnnotation'];
  const end = isNode(annotation) ? annotation.start : node.end;
  const at = text.lastIndexOf(mark, end);
  if (at >= node.start) blank(at, at + 1);
}

function blankModifiers(node: SyntaxNode, text: string, blank: Blank): void {
  const key = node['key'];
  if (!isNode(key)) return;
  const head = text.slice(node.start, key.start);
  for (const { index, 0: word } of head.matchAll(
    /\b(?:public|private|protected|abstract|override|readonly|declare)\b/g,
  )) {
    blank(node.start + index, node.start + index + word.length);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  );
}
