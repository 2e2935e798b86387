import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import {
  acquireOrderOf,
  DataType,
  dataTypeBytes,
  dataTypeInfo,
  dataTypeOfScalar,
  isMemoryOrder,
  isMemoryScope,
  isResultCode,
  isScalarKind,
  memoryOrders,
  memoryScopes,
  NCCL_VERSION,
  ncclVersionCode,
  ncclVersionText,
  RedOp,
  redOpName,
  releaseOrderOf,
  ResultCode,
  resultDescription,
  resultInfo,
  resultName,
  scalarInfo,
  scalarKinds,
  scalarOfDataType,
  version,
} from '@nccl-ts/core';

describe("NCCL's integers", () => {
  it('equal those of nccl.h', () => {
    expect(Object.values(ResultCode)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(ResultCode.InvalidUsage).toBe(5);
    expect(ResultCode.Timeout).toBe(8);
    expect(Object.keys(DataType)).toEqual([
      'Int8',
      'Uint8',
      'Int32',
      'Uint32',
      'Int64',
      'Uint64',
      'Float16',
      'Float32',
      'Float64',
      'Bfloat16',
      'Float8e4m3',
      'Float8e5m2',
    ]);
    expect(Object.values(DataType)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(RedOp).toEqual({ Sum: 0, Prod: 1, Max: 2, Min: 3, Avg: 4 });
  });

  it('have names', () => {
    for (const [name, code] of Object.entries(ResultCode)) {
      expect(resultName(code)).toBe(name);
      expect(resultDescription(code)).toMatch(/^[A-Z].*\.$/);
    }
    for (const [name, type] of Object.entries(DataType)) expect(dataTypeInfo[type].name).toBe(name);
    for (const [name, op] of Object.entries(RedOp)) expect(redOpName(op)).toBe(name);
    expect(Object.keys(resultInfo)).toHaveLength(9);
  });

  it('are recognised', () => {
    expect([0, 8, 9, -1, 1.5, NaN, '0', undefined].map(isResultCode)).toEqual([true, true, ...Array(6).fill(false)]);
  });
});

describe('data types', () => {
  it('map to scalars of the same size and back', () => {
    for (const type of Object.values(DataType)) {
      const scalar = scalarOfDataType(type);
      expect(dataTypeOfScalar(scalar)).toBe(type);
      expect(dataTypeBytes(type)).toBe(scalarInfo[scalar].bytes);
    }
    expect(scalarKinds.filter((kind) => dataTypeOfScalar(kind) === undefined)).toEqual(['bool', 'i16', 'u16', 'addr']);
  });
});

describe('scalars', () => {
  it('are listed without omissions', () => {
    expect([...scalarKinds].sort()).toEqual(Object.keys(scalarInfo).sort());
    expect(isScalarKind('bf16')).toBe(true);
    expect(['f8', 'toString', 3].map(isScalarKind)).toEqual([false, false, false]);
  });

  it('have ranges', () => {
    expect(scalarInfo.i8).toMatchObject({ bytes: 1, bits: 8, signed: true, min: -128n, max: 127n, class: 'int' });
    expect(scalarInfo.u64).toMatchObject({ bytes: 8, signed: false, min: 0n, max: 2n ** 64n - 1n });
    expect(scalarInfo.i64).toMatchObject({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    expect(scalarInfo.addr).toMatchObject({ bytes: 8, class: 'addr', min: 0n, max: 2n ** 53n - 1n });
    expect(scalarInfo.f32).toMatchObject({ maxFinite: Math.fround(3.4028234663852886e38), minSubnormal: 2 ** -149 });
    expect(scalarInfo.f64).toMatchObject({ maxFinite: Number.MAX_VALUE, minSubnormal: Number.MIN_VALUE });
    expect(scalarInfo.bool.class).toBe('bool');
  });
});

describe('memory orders', () => {
  it('split into the halves of a barrier', () => {
    expect(memoryOrders.map(releaseOrderOf)).toEqual(['relaxed', 'relaxed', 'release', 'release', 'seq_cst']);
    expect(memoryOrders.map(acquireOrderOf)).toEqual(['relaxed', 'acquire', 'relaxed', 'acquire', 'seq_cst']);
  });

  it('and scopes are recognised', () => {
    expect(memoryOrders.every(isMemoryOrder)).toBe(true);
    expect(memoryScopes.every(isMemoryScope)).toBe(true);
    expect(memoryScopes).toEqual(['thread', 'block', 'device', 'system']);
    expect(isMemoryOrder('consume')).toBe(false);
    expect(isMemoryScope('cluster')).toBe(false);
  });
});

describe('versions', () => {
  it('are those of package.json', () => {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(manifest).toMatchObject({ version });
  });

  it("include NCCL's own version code, as NCCL_VERSION", () => {
    const { major, minor, patch, code } = NCCL_VERSION;
    expect(ncclVersionCode(major, minor, patch)).toBe(code);
    expect(code).toBe(23206);
    expect(ncclVersionText(code)).toBe('2.32.6');
    expect(ncclVersionText(22810)).toBe('2.28.10');
  });
});
