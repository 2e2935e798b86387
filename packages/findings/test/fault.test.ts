import { renderDiagnostic, type Source } from '@nccl-ts/ir';
import {
  buildFault,
  describeAccess,
  FaultError,
  outOfFuel,
  renderFault,
  type Fault,
  type FaultReport,
  type QuotedLocation,
  type WindowByte,
  type WindowFinder,
} from '@nccl-ts/findings';
import type { KernelText } from '@nccl-ts/transport';
import { describe, expect, it } from 'vitest';

import { meets, store } from './kernel.ts';

const windows: readonly WindowByte['window'][] = [
  { name: 'window 0', bytes: 4096 },
  { name: 'window 1', bytes: 100 },
];

/**
 * A memory of two adjacent windows. Regions 1 and 2 are the copies of rank 1, and region 9 is
 * freed.
 */
const memory: WindowFinder = {
  locate({ address, region }) {
    const window = windows[region - 1];
    return window === undefined ? undefined : { window, rank: 1, offset: address };
  },
  formerOwner: (region) => (region === 9 ? { name: 'window 8', bytes: 64 } : undefined),
  beside({ window, rank }, offset) {
    const [first, second] = windows;
    if (first === undefined || second === undefined || window !== first || offset < 0) return undefined;
    return { window: second, rank, offset: offset - first.bytes };
  },
};

function reportOf(fault: Fault, kernel: KernelText = meets, sites = [store]): FaultReport {
  const cta = { rank: 0, blockIdx: { x: 3, y: 1, z: 0 } };
  return buildFault({ kernel, launch: 4, sites, cta, fault, access: describeAccess(fault, memory) });
}

function strays(address: number, parts: Partial<Fault> = {}): Fault {
  return { kind: 'outOfBounds', site: 0, thread: 17, space: 'global', address, bytes: 8, region: 1, ...parts };
}

function firstLine(fault: Fault): string | undefined {
  return renderFault(reportOf(fault)).split('\n')[0];
}

function lastLine(fault: Fault): string | undefined {
  return renderFault(reportOf(fault)).split('\n').at(-1)?.replace('  = note: ', '');
}

describe('a fault', () => {
  it.for([false, true])('has the layout of compile errors below its headline, with colour %s', (colour) => {
    const who = 'kernel meets, rank 0, CTA (3, 1, 0), thread 17';
    const diagnostic = {
      code: 'K1001',
      severity: 'error',
      message: 'any',
      labels: [{ span: store.span, text: who }],
      notes: ["the access would reach byte 0 of window 1, rank 1's copy"],
    } as const;
    const below = (text: string): readonly string[] => text.split('\n').slice(1);
    expect(below(renderFault(reportOf(strays(4092)), { colour }))).toEqual(
      below(renderDiagnostic(diagnostic, meets.sources, { colour })),
    );
  });

  it('out of bounds names the thread, the line and the memory that the access would reach', () => {
    const report = reportOf(strays(4092));
    expect(renderFault(report)).toMatchInlineSnapshot(`
      "store of 8 bytes out of bounds: byte 4092 of window 0 (4096 bytes), rank 1's copy
       --> kernel meets (captured text):4:3
        |
      4 |   pointer(win, f32, 0, 1)[1024] = 1;
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets, rank 0, CTA (3, 1, 0), thread 17
        |
        = note: the access would reach byte 0 of window 1, rank 1's copy"
    `);
    const error = new FaultError(report, ['a line']);
    expect(error).toMatchObject({ code: 'NCCLTS_OUT_OF_BOUNDS', report, printed: ['a line'] });
    expect(error.message).toBe(renderFault(report));
    expect(error.details).toMatchObject({
      kind: 'outOfBounds',
      launch: 4,
      what: 'store',
      place: { line: 4, column: 3 },
      access: { offset: 4092, bytes: 8, space: 'global', window: { name: 'window 0', bytes: 4096, rank: 1 } },
    });
  });

  it('out of bounds may be where there is no memory, or at its end', () => {
    expect(lastLine(strays(-8))).toBe(
      '  = help: the window has 512 elements of 8 bytes, and the index is below 0: begin at 1, or test it before the access',
    );
    expect(lastLine(strays(-4))).toBe('the access would reach nothing');
    expect(lastLine(strays(4196))).toBe('the access would reach nothing');
    expect(lastLine(strays(4195))).toBe("the access would reach byte 99 of window 1, rank 1's copy");
    expect(lastLine(strays(100, { region: 2 }))).toBe('the access would reach nothing');
  });

  it('out of bounds may be in a freed window, or in none', () => {
    expect(renderFault(reportOf(strays(8, { region: 9 })))).toMatchInlineSnapshot(`
      "store of 8 bytes out of bounds: byte 8 from a pointer that is in no window
       --> kernel meets (captured text):4:3
        |
      4 |   pointer(win, f32, 0, 1)[1024] = 1;
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets, rank 0, CTA (3, 1, 0), thread 17
        |
        = note: the access would reach window 8, which is deregistered"
    `);
    expect(renderFault(reportOf(strays(8, { region: 0 })))).toMatchInlineSnapshot(`
      "store of 8 bytes out of bounds: byte 8 from a null pointer
       --> kernel meets (captured text):4:3
        |
      4 |   pointer(win, f32, 0, 1)[1024] = 1;
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets, rank 0, CTA (3, 1, 0), thread 17"
    `);
  });

  it('of alignment names the misaligned byte', () => {
    const fault = strays(6, { kind: 'misaligned', bytes: 4 });
    expect(new FaultError(reportOf(fault), []).code).toBe('NCCLTS_MISALIGNED');
    expect(renderFault(reportOf(fault))).toMatchInlineSnapshot(`
      "store of 4 bytes at an address that is not a multiple of its size: byte 6 of window 0 (4096 bytes), rank 1's copy
       --> kernel meets (captured text):4:3
        |
      4 |   pointer(win, f32, 0, 1)[1024] = 1;
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets, rank 0, CTA (3, 1, 0), thread 17"
    `);
  });

  it("in an array names the array's space", () => {
    expect(firstLine(strays(128, { space: 'shared', bytes: 1 }))).toBe(
      'store of 1 byte out of bounds: byte 128 of a shared array',
    );
    expect(firstLine(strays(128, { space: 'local' }))).toBe(
      'store of 8 bytes out of bounds: byte 128 of a local array',
    );
  });

  it('of another kind has its own code and text', () => {
    const kinds = ['divideByZero', 'overflow', 'assert', 'addressRange', 'lane', 'fuel'] as const;
    const said = kinds.map((kind) => {
      const plain = { kind, site: 0, thread: 0 };
      const { code } = new FaultError(reportOf(plain), []);
      return [kind, code, firstLine(plain), firstLine({ ...plain, message: 'the words of the kernel' })].join(' | ');
    });
    expect(said.join('\n')).toMatchInlineSnapshot(`
      "divideByZero | NCCLTS_FAULT | integer division by zero | integer division by zero: the words of the kernel
      overflow | NCCLTS_FAULT | integer division of the smallest value by -1 | the words of the kernel
      assert | NCCLTS_FAULT | assertion failed:  | assertion failed: the words of the kernel
      addressRange | NCCLTS_FAULT | an address or byte offset below 0 or above 2^53 - 1 | the words of the kernel
      lane | NCCLTS_FAULT | a lane index that the vector or group does not have | the words of the kernel
      fuel | NCCLTS_INCOMPLETE | the limit on steps was reached | the words of the kernel"
    `);
  });

  it('without a source location names only the thread', () => {
    const fault: Fault = { kind: 'assert', site: 3, thread: 0, message: 'x < y' };
    expect(reportOf(fault)).toMatchObject({ what: 'access', place: undefined });
    expect(renderFault(reportOf(fault))).toMatchInlineSnapshot(`
      "assertion failed: x < y
        = note: in kernel meets, rank 0, CTA (3, 1, 0), thread 0"
    `);
  });

  it("quotes the author's line", () => {
    const author = '  values[1024] = one;';
    const source: Source = {
      name: 'strays',
      text: '(a,b)=>{b.p[1024]=1}',
      locate: (offset) => ({ file: 'strays.ts', line: 7, column: offset < 19 ? 3 : 21, text: author }),
    };
    const report = reportOf(strays(4096), { name: 'strays', sources: [source] }, [
      { what: 'store', span: { source: 0, start: 8, end: 19 } },
    ]);
    expect(report.place).toMatchObject({ line: 1, column: 9, text: source.text, location: { line: 7, column: 3 } });
    expect(renderFault(report).split('\n').slice(1, 5).join('\n')).toMatchInlineSnapshot(`
      " --> strays.ts:7:3
        |
      7 |   values[1024] = one;
        |   ^^^^^^^^^^^^^^^^^^ kernel strays, rank 0, CTA (3, 1, 0), thread 17"
    `);
  });

  it('shows only part of a line that is too long', () => {
    const text = `${'a'.repeat(300)};p[1]=2;${'b'.repeat(300)}`;
    const sites = [{ what: 'store', span: { source: 0, start: 301, end: 307 } }];
    const report = reportOf(strays(4096), { name: 'long', sources: [{ name: 'long', text }] }, sites);
    expect(renderFault(report).split('\n').slice(1, 5).join('\n')).toMatchInlineSnapshot(`
      " --> kernel long (captured text):1:302
        |
      1 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;p[1]=2;bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
        |                                                   ^^^^^^ kernel long, rank 0, CTA (3, 1, 0), thread 17"
    `);
  });

  it('of too many loop iterations names the number of turns', () => {
    const report = outOfFuel({
      kernel: meets,
      launch: 1,
      cta: { rank: 2, blockIdx: { x: 5, y: 0, z: 0 } },
      turns: 100,
    });
    expect(new FaultError(report, []).code).toBe('NCCLTS_INCOMPLETE');
    expect(renderFault(report)).toMatchInlineSnapshot(`
      "a CTA ran for 100 turns without reaching a wait or its end: it may spin on memory in a loop that is not a wait (raise fuel if it is only slow)
        = note: in kernel meets, rank 2, CTA 5, thread 0"
    `);
  });
});

describe('a misuse that lacks a resource', () => {
  const at = (source: string): QuotedLocation => {
    const text = 'bar.sync();';
    const quote = { text, from: 'captured', line: 1, start: 0, end: text.length } as const;
    return { span: { source: 0, start: 0, end: text.length }, source, line: 1, column: 1, text, quote };
  };
  const headline = (source: string, message: string): string => {
    const who = { kernel: 'k', launch: 0, rank: 0, blockIdx: { x: 0, y: 0, z: 0 }, thread: 0, what: 'requires' };
    return renderFault({ kind: 'misuse', ...who, place: at(source), message }).split('\n')[0] ?? '';
  };
  const index = 'LSA barrier index 1, but the device communicator has 1: createDevComm({ lsaBarrierCount: 2 })';
  const handle = 'LSA barrier index 1, but its handle has 1: lsaBarrierCreateRequirement(team, 2)';

  it("names the call of TypeScript's host for a kernel in TypeScript", () => {
    expect(headline('kernel.ts', index)).toBe(`misuse: ${index}`);
    expect(headline('kernel.ts', handle)).toBe(`misuse: ${handle}`);
  });

  it("names NCCL's requirements, and the harness, for a kernel in CUDA C++", () => {
    expect(headline('kernel.cu', index)).toBe(
      'misuse: LSA barrier index 1, but the device communicator has 1: its ncclDevCommRequirements need lsaBarrierCount = 2 (devComm: { lsaBarrierCount: 2 } in a harness)',
    );
    expect(headline('kernel.cu', handle)).toBe(
      'misuse: LSA barrier index 1, but its handle has 1: lsaBarrierCount = 2 is needed (devComm: { lsaBarrierCount: 2 } in a harness), or ncclLsaBarrierCreateRequirement with 2',
    );
  });
});
