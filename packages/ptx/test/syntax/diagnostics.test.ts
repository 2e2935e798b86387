import { NcclError } from '@nccl-ts/core';
import {
  importKernel,
  parsePtx,
  ptxDiagnosticCodes,
  renderPtxDiagnostic,
  type PtxDiagnostic,
  type PtxDiagnosticCode,
  type CallMap,
} from '@nccl-ts/ptx';
import { describe, expect, it } from 'vitest';

const head = '.version 8.5\n.target sm_90\n.address_size 64\n.file 1 "kernel.cu"\n';

/** An entry with registers of each class, at line 7 of its source. */
function entry(...lines: readonly string[]): string {
  const body = lines.map((line) => `  ${line}\n`).join('');
  const registers = ['.pred %p<4>', '.b16 %rs<4>', '.b32 %r<8>', '.b64 %rd<8>', '.f32 %f<4>', '.b128 %q<2>'];
  return `${head}.visible .entry k(.param .u64 out, .param .u32 n)
{
${registers.map((one) => `  .reg ${one};\n`).join('')}  .loc 1 7 3
${body}  ret;
}
`;
}

/** A function that another text defines. Its argument must be a compile-time constant. */
const calls: CallMap = new Map([
  ['choose', { params: [{ name: 'level', isKnown: true }], kernel: () => 'no level is supported' }],
]);

/** For each code, texts that cause it, by their error. */
const cases: Readonly<Record<PtxDiagnosticCode, Readonly<Record<string, string>>>> = {
  P1001: {
    'no PTX at all': 'int main() { return 0; }\n',
    'no version': '.target sm_90\n',
    'a character that PTX has not': entry('add.u32 %r1, %r2, § %r3;'),
    'a missing comma': entry('add.u32 %r1, %r2 %r3;'),
    'a missing semicolon': entry('add.u32 %r1, %r2, %r3', 'mov.u32 %r4, 7;'),
    'a missing brace': `${head}.entry k()\n{\n  ret;\n`,
    'a number that is none': entry('mov.u32 %r1, 08;'),
    'a division by zero': entry('mov.u32 %r1, 4 / 0;'),
    'too many values': `${head}.global .u32 table[2] = {1, 2, 3};\n`,
    'an alignment of three': `${head}.global .align 3 .u32 x;\n`,
    'a variable without a type': `${head}.global x;\n`,
  },
  P1002: {
    'a register that is not declared': entry('add.u32 %r1, %r99, 1;'),
    'a result that is not declared': entry('mov.u32 %r99, 1;'),
    'a variable that is not declared': entry('ld.shared.u32 %r1, [table];'),
  },
  P1003: {
    'too few operands': entry('add.u32 %r1, %r2;'),
    'a register that is too narrow': entry('add.u64 %rd1, %r1, %rd2;'),
    'a predicate that is none': entry('@%r1 mov.u32 %r2, 1;'),
    'two orders': entry('ld.relaxed.acquire.gpu.global.u32 %r1, [%rd1];'),
    'a store that acquires': entry('st.acquire.gpu.global.u32 [%rd1], %r1;'),
    'a load that releases': entry('ld.release.gpu.global.u32 %r1, [%rd1];'),
    'an order without a scope': entry('ld.acquire.global.u32 %r1, [%rd1];'),
    'a vector of another width': entry('ld.global.v4.u32 {%r1, %r2}, [%rd1];'),
    'a barrier that there is not': entry('bar.sync 16, 64;'),
  },
  P1004: {
    'an old target': `.version 8.5\n.target sm_60\n.address_size 64\n`,
    'an old version': `.version 5.0\n.target sm_70\n.address_size 64\n`,
    'addresses of 32 bits': `.version 8.5\n.target sm_90\n.address_size 32\n`,
  },
  P1005: {
    'two registers of one name': entry('.reg .b32 %r1;'),
    'two labels of one name': entry('again: mov.u32 %r1, 1;', 'again: mov.u32 %r1, 2;'),
    'two variables of one name': entry('.shared .u32 word;', '.shared .u64 word;'),
  },
  P2001: {
    'an instruction of the tensor cores': entry('wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 %r1, %r2, %r3, %r0;'),
    'a texture': entry('tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f0}, [image, {%r1}];'),
    'an instruction that there is not': entry('frobnicate.u32 %r1, %r2;'),
  },
  P2002: {
    'a modifier of an instruction': entry('add.nothing.s32 %r1, %r2, %r3;'),
    'a modifier of a load': entry('ld.global.sideways.u32 %r1, [%rd1];'),
  },
  P2003: {
    'an atomic update of 16 bytes': entry('atom.relaxed.gpu.global.exch.b128 %q1, [%rd1], %q0;'),
    'a type that an operation has not': entry('atom.global.inc.u64 %rd1, [%rd2], %rd3;'),
    'a texture as a variable': `${head}.global .texref image;\n`,
  },
  P2004: {
    'a function that is defined elsewhere': `${head}.extern .func sync_all ();\n.entry k()\n{\n  .loc 1 3 1\n  call.uni sync_all, ();\n  ret;\n}\n`,
    'a function that calls itself': `${head}.func again ()\n{\n  .loc 1 3 1\n  call.uni again, ();\n  ret;\n}\n.entry k()\n{\n  call.uni again, ();\n  ret;\n}\n`,
  },
  P2005: {
    'a store to constant memory': entry('st.const.u32 [%rd1], %r1;'),
    'a store to a parameter': entry('st.param.u32 [n], %r1;'),
  },
  P2006: {
    'a cluster of more blocks than any GPU runs together': `${head}.entry k() .explicitcluster .reqnctapercluster 8, 4, 1\n{\n  ret;\n}\n`,
    'a cluster of more blocks than the entry allows': `${head}.entry k() .reqnctapercluster 4 .maxclusterrank 2\n{\n  ret;\n}\n`,
    'a grid that counts clusters': `${head}.entry k() .reqnctapercluster 2 .blocksareclusters\n{\n  ret;\n}\n`,
    'a cluster of a size that the launch chooses': `${head}.entry k() .explicitcluster\n{\n  ret;\n}\n`,
  },
  P2007: {
    'a directive that there is not': `${head}.entry k() .sideways 2\n{\n  ret;\n}\n`,
  },
  P3002: {
    'a parameter beyond its end': entry('ld.param.u64 %rd1, [n];'),
  },
  P3003: {
    'a level that only the run knows': entry(
      'ld.param.u32 %r1, [n];',
      '.param .b32 level;',
      'st.param.b32 [level], %r1;',
      'call.uni choose, (level);',
    ).replace('.visible', '.extern .func choose (.param .b32 level);\n.visible'),
  },
  P4001: {
    'a jump into a loop': entry(
      'setp.eq.u32 %p1, %r1, 0;',
      '@%p1 bra middle;',
      'top: add.u32 %r1, %r1, 1;',
      'middle: add.u32 %r1, %r1, 2;',
      'setp.lt.u32 %p2, %r1, 9;',
      '@%p2 bra top;',
    ),
  },
  P4002: {
    'a jump to no label': entry('bra nowhere;'),
    'a jump by a list that there is not': entry('brx.idx %r1, nowhere;'),
  },
  P4003: {
    'a table of too many targets': entry(
      'mov.u32 %r1, %tid.x;',
      `ts: .branchtargets ${Array.from({ length: 1100 }, (_, i) => `T${i}`).join(', ')};`,
      'brx.idx %r1, ts;',
      ...Array.from({ length: 1100 }, (_, i) => `T${i}: add.u32 %r1, %r1, 1;`),
    ),
  },
  P5001: {
    'a loop that polls by a plain load': entry(
      'ld.param.u64 %rd1, [out];',
      '.loc 1 8 10',
      'again: ld.global.u32 %r1, [%rd1];',
      'setp.eq.u32 %p1, %r1, 0;',
      '@%p1 bra again;',
    ),
  },
  P5002: {
    'no line of the source': `${head}.entry k()\n{\n  ret;\n}\n`,
  },
};

/** All diagnostics of reading a text and translating its entry, as text. */
function toldOf(text: string): readonly PtxDiagnostic[] {
  const { module, diagnostics } = parsePtx(text, 'kernel.ptx');
  if (module === undefined) return diagnostics;
  try {
    return importKernel(module, { entry: 'k', calls }).diagnostics;
  } catch (error) {
    const told: unknown = error instanceof NcclError ? error.details['diagnostics'] : undefined;
    if (!Array.isArray(told)) throw error;
    return told.map((one: PtxDiagnostic) => one);
  }
}

function rendered(text: string): string {
  const { module } = parsePtx(text, 'kernel.ptx');
  return toldOf(text)
    .map((one) => renderPtxDiagnostic(one, module ?? { name: 'kernel.ptx', text }))
    .join('\n\n');
}

describe('diagnostics of PTX', () => {
  it('can each be caused by a text', () => {
    expect(Object.keys(cases).toSorted()).toEqual(Object.keys(ptxDiagnosticCodes).toSorted());
    for (const [code, texts] of Object.entries(cases)) {
      expect(Object.keys(texts).length, `${code} has no case`).toBeGreaterThan(0);
      for (const [title, text] of Object.entries(texts)) {
        expect(
          toldOf(text).map((one) => one.code),
          `${code}: ${title}`,
        ).toContain(code);
      }
    }
  });

  it.each(Object.entries(cases))('of %s equal the snapshot', async (code, texts) => {
    const all = Object.entries(texts).map(([title, text]) => `# ${title}\n\n${rendered(text)}\n`);
    await expect(all.join('\n')).toMatchFileSnapshot(`snapshots/${code}.txt`);
  });
});
