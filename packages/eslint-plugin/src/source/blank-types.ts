import { childOf, childrenOf, type SyntaxNode } from './syntax.ts';

const types: ReadonlySet<string> = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
]);
const casts: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
/** Syntax that is compiled to code, or that cannot be removed in place. */
const compiled = /^TS(?:Enum|Module|ParameterProperty|TypeAssertion|ImportEquals|ExportAssignment)/;

/**
 * The text of a node without its types. The remaining characters keep their offsets. `undefined` if
 * it has syntax of TypeScript that cannot be removed in place.
 */
export function withoutTypes(text: string, node: SyntaxNode): string | undefined {
  const characters = text.slice(node.start, node.end).split('');
  const blank = (start: number, end: number): void => {
    for (let i = start - node.start; i < end - node.start; i++) characters[i] = ' ';
  };
  return blankTypes(text, node, blank) ? characters.join('') : undefined;
}

type Blank = (start: number, end: number) => void;

function blankTypes(text: string, node: SyntaxNode, blank: Blank): boolean {
  if (compiled.test(node.type)) return false;
  if (types.has(node.type)) {
    blank(node.start, node.end);
    return true;
  }
  const inner = casts.has(node.type) ? childOf(node, 'expression') : undefined;
  if (inner !== undefined) {
    // Parentheses belong to no node.
    const closed = node.type === 'TSNonNullExpression' ? node.end - 1 : startOfCast(text, inner.end, node.end);
    blank(closed, node.end);
    return blankTypes(text, inner, blank);
  }
  if (node.type === 'Identifier' && node['optional'] === true) {
    const end = childOf(node, 'typeAnnotation')?.start ?? node.end;
    const mark = text.lastIndexOf('?', end);
    if (mark >= node.start) blank(mark, mark + 1);
  }
  return childrenOf(node).every((child) => blankTypes(text, child, blank));
}

/** The offset of `as` or `satisfies`, behind the parentheses around the expression. */
function startOfCast(text: string, from: number, end: number): number {
  const found = /\b(?:as|satisfies)\b/.exec(text.slice(from, end));
  return found === null ? from : from + found.index;
}
