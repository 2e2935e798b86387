import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseSync, type Declaration, type TSSignature, type TSType } from 'oxc-parser';

/**
 * The public names of one package: its exports (`Team`), their members (`Team.rank`) and the words
 * of its unions (`GinType='none'`).
 */
export type PublicNames = ReadonlySet<string>;

/**
 * The public names of every package, from the reports that `npm run api` writes. These reports
 * describe the built declarations, so the names are those that a user can import. Only the main
 * entry of a package counts.
 */
export function publicNames(root: string): ReadonlyMap<string, PublicNames> {
  const packages = readdirSync(join(root, 'packages')).toSorted();
  return new Map(
    packages.flatMap((name) => {
      const report = join(root, 'packages', name, 'etc', `${name}.api.md`);
      return existsSync(report) ? [[name, namesInReport(report, readFileSync(report, 'utf8'))]] : [];
    }),
  );
}

/** The public names in one report. Throws an Error if its TypeScript does not parse. */
export function namesInReport(path: string, report: string): PublicNames {
  const text = /```ts\n(.*?)\n```/s.exec(report)?.[1] ?? '';
  const { program, errors } = parseSync(`${path}.d.ts`, text, { lang: 'dts' });
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const names = new Set<string>();
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { exported } of statement.specifiers) if (exported.type === 'Identifier') names.add(exported.name);
    if (statement.declaration !== null) addDeclaration(names, statement.declaration);
  }
  return names;
}

function addDeclaration(names: Set<string>, node: Declaration): void {
  if (node.type === 'TSInterfaceDeclaration') {
    names.add(node.id.name);
    addMembers(names, node.id.name, node.body.body);
  } else if (node.type === 'TSTypeAliasDeclaration') {
    names.add(node.id.name);
    addType(names, node.id.name, node.typeAnnotation);
  } else if (node.type === 'VariableDeclaration') {
    for (const { id } of node.declarations) {
      if (id.type !== 'Identifier') continue;
      names.add(id.name);
      if (id.typeAnnotation) addType(names, id.name, id.typeAnnotation.typeAnnotation);
    }
  } else if (node.type === 'ClassDeclaration' && node.id !== null) {
    names.add(node.id.name);
    for (const member of node.body.body) {
      if (!('key' in member) || member.key.type !== 'Identifier') continue;
      names.add(`${node.id.name}.${member.key.name}`);
    }
  } else if ((node.type === 'FunctionDeclaration' || node.type === 'TSDeclareFunction') && node.id !== null) {
    names.add(node.id.name);
  }
}

function addMembers(names: Set<string>, owner: string, members: readonly TSSignature[]): void {
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') continue;
    const key = member.key.type === 'Identifier' ? member.key.name : member.key.type === 'Literal' && member.key.value;
    if (typeof key !== 'string') continue;
    names.add(`${owner}.${key}`);
    const type = member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
    if (type?.type === 'TSTypeLiteral') addType(names, `${owner}.${key}`, type);
  }
}

function addType(names: Set<string>, owner: string, type: TSType): void {
  if (type.type === 'TSTypeLiteral') addMembers(names, owner, type.members);
  const words = type.type === 'TSUnionType' ? type.types : [type];
  for (const word of words) {
    if (word.type !== 'TSLiteralType' || word.literal.type !== 'Literal') continue;
    if (typeof word.literal.value === 'string') names.add(`${owner}='${word.literal.value}'`);
  }
}
