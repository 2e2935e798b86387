import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { barrier } from '@nccl-ts/barrier';
import { cft } from '@nccl-ts/cft';
import { symPtr } from '@nccl-ts/devcomm';
import { gin, ginType } from '@nccl-ts/gin';
import { u32, type DeviceFn, type DeviceModule, type SignatureHelp, type Use } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { describe, expect, it } from 'vitest';

const packages = join(import.meta.dirname, '../..');

/** The names of the parameters of each signature of each member, by interface. */
const declared = new Map<string, Map<string, string[][]>>();
for (const name of ['barrier', 'cft', 'devcomm', 'gin', 'll-a2a', 'lsa', 'multimem', 'reduce-copy']) {
  const src = join(packages, name, 'src');
  for (const file of readdirSync(src)) if (file.endsWith('.ts')) readInterfaces(readFileSync(join(src, file), 'utf8'));
}

function readInterfaces(text: string): void {
  for (const [, name = '', body = ''] of text.matchAll(/^export interface (\w+)[^{]*\{\n(.*?)^\}/gms)) {
    const members = new Map<string, string[][]>();
    declared.set(name, members);
    // A member begins at two blanks. A call signature has no name.
    for (const [, member = '', params = ''] of body.matchAll(
      /^ {2}(?:readonly )?(\w*)(?:: )?\(((?:[^()]|\([^()]*\))*)\)(?: =>|:) /gm,
    )) {
      const own = params.replaceAll(/\([^()]*\)/g, '()');
      const names = [...own.matchAll(/(\w+)\??: /g)].map(([, param = '']) => param);
      members.set(member, [...(members.get(member) ?? []), names]);
    }
  }
}

/** Of several signatures, the longest is the one that the compiler has. */
function longest(owner: string, member: string): readonly string[] | undefined {
  return declared
    .get(owner)
    ?.get(member)
    ?.toSorted((a, b) => b.length - a.length)[0];
}

/** The signature that the compiler compares a call with, if it does. */
function signatureOf({ role }: DeviceFn<unknown>): SignatureHelp | undefined {
  if (role.kind === 'session') return role.session.signature;
  return 'signature' in role ? role.signature : undefined;
}

const named = ({ params }: SignatureHelp): readonly string[] =>
  Object.keys(params).map((name) => name.replace('?', ''));

interface Member {
  readonly member: string;
  readonly fn: DeviceFn<unknown>;
}

function functionsOf(members: Use): readonly Member[] {
  return Object.entries(members).flatMap(([member, fn]): Member[] =>
    typeof fn === 'object' && fn.kind === 'deviceFn' ? [{ member, fn }] : [],
  );
}

const modules: readonly [string, DeviceModule<unknown>][] = [
  ['Barrier', barrier],
  ['Cft', cft],
  ['GinModule', gin],
  ['LLA2A', llA2A],
  ['Lsa', lsa],
  ['Multimem', multimem],
  ['ReduceCopy', reduceCopy],
];

/** The interfaces of the sessions, by the functions that make them. */
const sessions: Readonly<Record<string, string>> = {
  'barrier.session': 'BarrierSession',
  'cft.session': 'CftSession',
  'cft.barrierSession': 'CftBarrierSession',
  'gin.barrierSession': 'GinBarrierSession',
  'llA2A.session': 'LLA2ASession',
  'lsa.barrierSession': 'LsaBarrierSession',
};

describe('the interface that authors see has the parameters that the compiler takes', () => {
  it.each(modules)('%s', (owner, { members }) => {
    const declares: Record<string, unknown> = {};
    const takes: Record<string, unknown> = {};
    for (const { member, fn } of functionsOf(members)) {
      const signature = signatureOf(fn);
      if (fn.role.kind === 'forms') {
        const forms = declared.get(`${member.charAt(0).toUpperCase()}${member.slice(1)}`)?.get('') ?? [];
        declares[member] = new Set(forms.map((params) => params.length));
        takes[member] = new Set(fn.role.forms.map((form) => named(form).length));
      } else if (signature !== undefined) {
        // A function whose type has a name of its own has no list here.
        declares[member] = longest(owner, member) ?? named(signature);
        takes[member] = named(signature);
      }
    }
    expect(Object.keys(takes)).not.toEqual([]);
    expect(takes).toEqual(declares);
  });

  it.each([
    ['Gin', ginType],
    ['SymPtr', symPtr(u32)],
  ])('%s', (owner, { methods }) => {
    const takes = Object.entries(methods).map(([method, fn]) => {
      const signature = signatureOf(fn);
      return [method, signature === undefined ? longest(owner, method) : named(signature).slice(1)];
    });
    const declares = [...(declared.get(owner)?.keys() ?? [])].map((method) => [method, longest(owner, method)]);
    expect(Object.fromEntries(takes)).toEqual(Object.fromEntries(declares));
  });

  it.each(Object.entries(sessions))('the session of %s', (maker, owner) => {
    const found = modules.flatMap(([, { members }]) => functionsOf(members)).find(({ fn }) => fn.name === maker);
    if (found?.fn.role.kind !== 'session') throw new Error(`${maker} makes no session`);
    for (const [method, { signature }] of Object.entries(found.fn.role.session.methods)) {
      expect([method, ...named(signature)]).toEqual([method, ...(longest(owner, method) ?? [])]);
    }
  });
});
