import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { deviceCalls } from '../../src/calls/device-calls.ts';
import { devCommArgument } from '../../src/dev-comm-argument.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const folder = new URL('../../include/', import.meta.url);
const headers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.h'))
  .map((name) => readFileSync(new URL(name.replaceAll('\\', '/'), folder), 'utf8'))
  .join('\n');

/** The functions that the headers declare, with the names of their parameters. */
const declared = new Map(
  [...headers.matchAll(/__device__ [\w ]+?[ *]+(__nccl_ts_\w+)\(([^)]*)\);/g)].map(([, name = '', params = '']) => [
    name,
    params.split(',').flatMap((param) => /(\w+)\s*$/.exec(param)?.[1] ?? []),
  ]),
);

describe('the stand-in headers', () => {
  it.for(quick)('declare exactly the functions of the call map', () => {
    expect([...declared.keys()].toSorted()).toEqual([...deviceCalls.keys()].toSorted());
  });

  it.each([...deviceCalls].filter((_, i) => (i % 8 === 0) !== inject('slow')))(
    'give %s the parameters that its call in the map has',
    (name, { params }) => {
      expect(params).toHaveLength(declared.get(name)?.length ?? Number.NaN);
    },
  );

  it.for(quick)("pass a device communicator of NCCL's size as an argument", () => {
    const [, body = ''] = /struct ncclDevComm \{([^}]*)\}/.exec(headers) ?? [];
    const words = [...body.matchAll(/(\w+) ([\w, ]+);/g)].flatMap(([, type, names = '']) =>
      names.split(',').map(() => (type === 'ncclLsaBarrierHandle' ? 8 : type === 'ncclMultimemHandle' ? 8 : 4)),
    );
    expect(words.reduce((sum, bytes) => sum + bytes, 0)).toBe(devCommArgument.type.bytes);
  });
});

/** The numbers that headers pass for compile-time constants. */
const usual: Readonly<Record<string, readonly number[]>> = {
  order: [0, 2, 3, 4, 5],
  coop: [0, 1, 8, 32],
  fence: [0, 1, 2, 3],
  remote: [0, 1, 4, 8, 12],
  given: [10],
  required: [0, 1, 2],
  bytes: [1, 2, 4, 8],
  team: [0, 1, 2],
  step: [1, 2, 3],
};

describe('the calls of the map', () => {
  it.each([...deviceCalls].filter((_, i) => (i % 8 === 0) !== inject('slow')))(
    'make a kernel of %s from its compile-time constants',
    (name, { params, kernel }) => {
      const known = params.filter(({ isKnown }) => isKnown === true).map((param) => usual[param.name] ?? [0, 1]);
      const most = Math.max(1, ...known.map(({ length }) => length));
      for (let i = 0; i < most; i++) {
        const made = kernel(known.map((values) => values[i % values.length] ?? 0));
        if (typeof made === 'string') expect(`${name}: ${made}`).toBe('');
        else expect(made.compile().body.length).toBeGreaterThan(0);
      }
    },
  );
});
