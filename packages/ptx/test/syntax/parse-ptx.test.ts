import { parsePtx, type PtxInstruction, type PtxModule } from '@nccl-ts/ptx';
import { describe, expect, it } from 'vitest';

const head = '.version 8.5\n.target sm_90a, texmode_independent\n.address_size 64\n';

function moduleOf(text: string): PtxModule {
  const { module, diagnostics } = parsePtx(head + text, 'kernel.ptx');
  if (module === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return module;
}

/** The instructions of a body. */
function instructionsOf(body: string, before = ''): readonly PtxInstruction[] {
  const [fn] = moduleOf(`${before}.entry k(.param .u64 p)\n{\n${body}\n}\n`).functions;
  return (fn?.body?.items ?? []).filter((item) => item.kind === 'instruction');
}

const registersOf = (body: string): readonly string[] =>
  instructionsOf(body).flatMap(({ operands }) => operands.flatMap((one) => (one.kind === 'register' ? one.name : [])));

const integersOf = (body: string): readonly bigint[] =>
  instructionsOf(body).flatMap(({ operands }) => operands.flatMap((one) => (one.kind === 'integer' ? one.value : [])));

describe('a PTX text', () => {
  it('has its version, its target and its files', () => {
    const { version, target, files } = moduleOf('.file 1 "a b.cu", 1700000000, 99\n.file 2 "c\\\\d.cuh"\n');
    expect(version).toEqual([8, 5]);
    expect(target).toBe('sm_90a');
    expect([...files]).toEqual([
      [1, 'a b.cu'],
      [2, String.raw`c\d.cuh`],
    ]);
  });

  it('skips comments and sections', () => {
    const text = '/* .entry x() { */ // ;\n.section .debug_str\n{\n.b8 1 }\n.entry k() { ret; /* } */ }\n';
    expect(moduleOf(text).functions.map(({ name }) => name)).toEqual(['k']);
  });

  it('has functions with parameters, results and attributes', () => {
    const { functions } = moduleOf(`
.extern .func (.param .b32 r) elsewhere (.param .b64 a, .param .align 8 .b8 b[24]);
.visible .entry k(.param .u64 .ptr .global .align 16 p, .param .f32 x) .maxntid 128, 1, 1 .minnctapersm 2 { ret; }
`);
    expect(
      functions.map(({ kind, name, params, returns, body }) => ({ kind, name, params, returns, body })),
    ).toMatchObject([
      { kind: 'func', name: 'elsewhere', params: [{ bytes: 8 }, { bytes: 24, align: 8 }], returns: [{ bytes: 4 }] },
      { kind: 'entry', name: 'k', params: [{ bytes: 8, align: 8 }, { type: 'f32' }], body: {} },
    ]);
    expect([...(functions[1]?.directives ?? [])]).toEqual([
      ['.maxntid', [128, 1, 1]],
      ['.minnctapersm', [2]],
    ]);
  });

  it('has variables, with their bytes and the addresses in them', () => {
    const { variables } = moduleOf(`
.global .align 8 .u32 table[2][2] = {{1, 2}, {0xffffffff, -1}};
.const .f32 scales[] = {0f3F800000, 2.0};
.global .u64 rows[2] = {table+8, generic(scales)};
.extern .shared .align 16 .b8 dynamic[];
`);
    const [table, scales, rows, dynamic] = variables;
    expect(table).toMatchObject({ bytes: 16, align: 8, length: 4 });
    expect([...(table?.initial?.bytes ?? [])].slice(4, 12)).toEqual([2, 0, 0, 0, 255, 255, 255, 255]);
    expect([...new Float32Array(scales?.initial?.bytes.slice().buffer ?? new ArrayBuffer(0))]).toEqual([1, 2]);
    expect(rows?.initial?.addresses).toEqual([
      { at: 0, symbol: 'table', offset: 8n, generic: false },
      { at: 8, symbol: 'scales', offset: 0n, generic: true },
    ]);
    expect(dynamic).toMatchObject({ isExtern: true, bytes: 0, align: 16 });
  });

  it('computes constant expressions like PTX', () => {
    const constants = [
      'WARP_SZ - 1',
      '1 << 4 | 3',
      '(2 + 3) * -4',
      '7 / 2 % 2',
      '0x10U',
      '017',
      '0b101',
      '~0',
      '!5',
      '3 > 2 ? 8 : 9',
    ];
    const texts = constants.map((one) => `mov.s64 %rd1, ${one};`).join('\n');
    expect(integersOf(`.reg .b64 %rd<2>;\n${texts}`)).toEqual([31n, 19n, -20n, 1n, 16n, 15n, 5n, -1n, 0n, 8n]);
  });

  it('gives registers of inner scopes unique names', () => {
    const names = registersOf(`
.reg .b32 %r<3>, x;
mov.u32 x, %r1;
{ .reg .b32 x; mov.u32 x, %r1; { .reg .b32 x; mov.u32 x, 1; } mov.u32 x, 2; }
mov.u32 x, 3;
`);
    const own = names.filter((name) => name.startsWith('x'));
    expect(own[0]).toBe('x');
    expect(own.at(-1)).toBe('x');
    expect(new Set(own).size).toBe(3);
    expect(own[1]).toBe(own[3]);
  });

  it('resolves labels before their definition, each in its scope', () => {
    const targets = instructionsOf(`
bra done;
{ bra done; done: bra done; }
done: ret;
`).flatMap(({ operands }) => operands.flatMap((one) => (one.kind === 'symbol' ? one.name : [])));
    expect(targets[0]).toBe('done');
    expect(targets[1]).not.toBe('done');
    expect(targets[2]).toBe(targets[1]);
  });

  it('reads guards, pairs, vectors, lists, addresses and sinks', () => {
    const [first, second, third, fourth] = instructionsOf(`
.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .v2 .b32 %v;
@!%p1 shfl.sync.idx.b32 %r1|%p2, %r2, 0, 31, -1;
ld.global.v2.u32 {%r1, _}, [%rd1+-16];
mov.b32 %v.x, %v.g;
call (%r1), f, (%r2, 5);
`);
    expect(first?.guard).toEqual({ register: '%p1', isNegated: true });
    expect(first?.words).toEqual(['shfl', 'sync', 'idx', 'b32']);
    expect(first?.operands[0]).toMatchObject({ kind: 'pair', first: { name: '%r1' }, second: { name: '%p2' } });
    expect(second?.operands).toMatchObject([
      { kind: 'vector', elements: [{ name: '%r1' }, { kind: 'sink' }] },
      { kind: 'address', base: { name: '%rd1' }, offset: -16n },
    ]);
    expect(third?.operands).toMatchObject([{ name: '%v.x' }, { name: '%v.y' }]);
    expect(fourth?.operands).toMatchObject([
      { kind: 'list' },
      { name: 'f' },
      { kind: 'list', elements: [{}, { value: 5n }] },
    ]);
  });

  it('has the source locations of instructions, and their inlining', () => {
    const [first, second, third] = instructionsOf(`
.loc 1 10 3
bar.sync 0;
.loc 2 7 5, function_name $info, inlined_at 1 10 3
bar.sync 0;
.loc 2 0 5
bar.sync 0;
`);
    expect(first?.location).toEqual({ file: 1, line: 10, column: 3 });
    expect(second?.location).toEqual({
      file: 2,
      line: 7,
      column: 5,
      inlinedAt: { file: 1, line: 10, column: 3 },
      inlinedFunction: '$info',
    });
    // Line 0 is not a line, so the previous one stays valid.
    expect(third?.location).toEqual(second?.location);
  });

  it('continues after an error, and reports every error', () => {
    const { diagnostics } = parsePtx(`${head}.entry k()\n{\nadd %r1 %r2;\nret;\nmov 08;\n}\nnonsense;\n`, 'kernel.ptx');
    expect(diagnostics.map(({ span }) => span.start).length).toBe(3);
  });
});
