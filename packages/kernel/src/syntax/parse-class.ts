import type {
  ClassBody,
  ClassDeclaration,
  ClassExpression,
  Expression,
  MethodDefinition,
  PrivateIdentifier,
  PropertyDefinition,
  StaticBlock,
} from 'acorn';
import { parseName, parsePrivateName } from './parse-name.ts';
import { parseKey, parseMethod, parseModifiers, takesModifier } from './parse-object.ts';
import type { TokenCursor } from './token-cursor.ts';

type Member = ClassBody['body'][number];

/** Kernels have no classes. They are parsed so that a report names the class. */
export function parseClassExpression(p: TokenCursor): ClassExpression {
  const { start } = p.take();
  const id = p.is('{') || p.isWord('extends') ? null : parseName(p);
  return { type: 'ClassExpression', start, id, ...classAfter(p), end: p.lastEnd };
}

export function parseClassDeclaration(p: TokenCursor): ClassDeclaration {
  const { start } = p.take();
  const id = parseName(p);
  return { type: 'ClassDeclaration', start, id, ...classAfter(p), end: p.lastEnd };
}

function classAfter(p: TokenCursor): { readonly superClass: Expression | null; readonly body: ClassBody } {
  const superClass = p.takesWord('extends') ? p.grammar.leftHandSide(p) : null;
  const { start } = p.token;
  p.expect('{');
  const body: Member[] = [];
  while (!p.is('}')) {
    if (!p.takes(';')) body.push(p.within({ isAsync: false, isGenerator: false }, () => parseMember(p)));
  }
  p.take();
  return { superClass, body: { type: 'ClassBody', start, end: p.lastEnd, body } };
}

function parseMember(p: TokenCursor): Member {
  const { start } = p.token;
  const isStatic = takesModifier(p, 'static');
  if (isStatic && p.is('{')) {
    const { body } = p.grammar.block(p);
    return { type: 'StaticBlock', start, end: p.lastEnd, body } satisfies StaticBlock;
  }
  const modifiers = parseModifiers(p);
  const { key, computed } = parseMemberKey(p);
  const { kind, isAsync, isGenerator } = modifiers;
  if (kind !== 'init' || isAsync || isGenerator || p.is('(')) {
    const value = parseMethod(p, modifiers);
    const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : undefined;
    const isConstructor = !isStatic && !computed && name === 'constructor';
    const plain = isConstructor ? 'constructor' : 'method';
    return {
      type: 'MethodDefinition',
      start,
      end: p.lastEnd,
      static: isStatic,
      computed,
      key,
      kind: kind === 'init' ? plain : kind,
      value,
    } satisfies MethodDefinition;
  }
  const value = p.takes('=') ? p.grammar.assignment(p) : null;
  p.endStatement();
  return {
    type: 'PropertyDefinition',
    start,
    end: p.lastEnd,
    static: isStatic,
    computed,
    key,
    value,
  } satisfies PropertyDefinition;
}

function parseMemberKey(p: TokenCursor): { readonly key: Expression | PrivateIdentifier; readonly computed: boolean } {
  return p.token.kind === 'private' ? { key: parsePrivateName(p), computed: false } : parseKey(p);
}
