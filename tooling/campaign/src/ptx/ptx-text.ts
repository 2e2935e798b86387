import type { PieceLanes, PtxPart, PtxPiece, PtxProgram } from './ptx-program.ts';
import { KEPT_VALUES, LINES, warpThreads } from './ptx-program.ts';

/**
 * The program as a PTX module, with one entry `k0`, `k1`, ... for each kernel. Their parameters are
 * the windows of ranks 0 to 2, the multicast address of them, the address of the kept values and
 * the rank.
 */
export function ptxText(program: PtxProgram): string {
  const entries = program.kernels.flatMap((_, kernel) => new EntryWriter(program, kernel).lines());
  return ['.version 8.5', '.target sm_90', '.address_size 64', ...entries, ''].join('\n');
}

const registers: Readonly<Record<string, string>> = {
  M0: '%rd1',
  M1: '%rd2',
  M2: '%rd3',
  MC: '%rd4',
  S: '%r2',
  B: '%r3',
};

/** The registers that a piece can have of each kind. Those below belong to the entry. */
const PER_PIECE = 10;

class EntryWriter {
  readonly #program: PtxProgram;
  readonly #kernel: number;
  #pieces = 0;
  #skips = 0;

  constructor(program: PtxProgram, kernel: number) {
    this.#program = program;
    this.#kernel = kernel;
  }

  lines(): readonly string[] {
    const parts = this.#program.kernels[this.#kernel]?.parts ?? [];
    const body = parts.flatMap((part) => this.#part(part));
    const most = PER_PIECE * (this.#pieces + 1);
    return [
      `.visible .entry k${this.#kernel}(.param .u64 m0, .param .u64 m1, .param .u64 m2, .param .u64 mc, .param .u64 kept, .param .u32 rank)`,
      '{',
      `  .shared .align 16 .b8 array[${16 * LINES.shared}];`,
      '  .shared .align 8 .b64 bars[2];',
      `  .reg .pred %p<${most}>;`,
      `  .reg .b32 %r<${most}>;`,
      `  .reg .b64 %rd<${most}>;`,
      ...this.#head(body.join('\n')),
      ...body,
      '  ret;',
      '}',
    ];
  }

  /** Loads the parameters, and sets shared memory. */
  #head(body: string): readonly string[] {
    const { grid, block, isCleared } = this.#program;
    const hasBars = body.includes('%r3');
    const clears = isCleared && body.includes('%r2');
    const lanes = warpThreads(block);
    const zeros = Array.from(
      { length: LINES.shared },
      (_, line) => `  st.shared.v4.u32 [%r2+${16 * line}], {0, 0, 0, 0};`,
    );
    const sets = [
      ...(clears ? zeros : []),
      ...(hasBars ? ['  mbarrier.init.shared::cta.b64 [%r3], 1;', '  mbarrier.init.shared::cta.b64 [%r3+8], 2;'] : []),
      ...(clears && body.includes('cp.async.bulk') ? ['  fence.proxy.async.shared::cta;'] : []),
    ];
    return [
      ...['m0', 'm1', 'm2', 'mc', 'kept'].map((name, index) => `  ld.param.u64 %rd${index + 1}, [${name}];`),
      '  ld.param.u32 %r1, [rank];',
      '  mov.u32 %r2, array;',
      '  mov.u32 %r3, bars;',
      '  mov.u32 %r6, %tid.x;',
      '  mov.u32 %r7, %ctaid.x;',
      // %r4 is the lane, and %r5 the number of the warp in all ranks.
      lanes === 1 ? '  mov.u32 %r4, 0;' : '  and.b32 %r4, %r6, 31;',
      lanes === 1 ? '  mov.u32 %r8, %r6;' : '  shr.u32 %r8, %r6, 5;',
      `  mad.lo.u32 %r5, %r1, ${grid}, %r7;`,
      `  mad.lo.u32 %r5, %r5, ${block / lanes}, %r8;`,
      ...(body.includes('%rd5')
        ? [
            `  mad.lo.u32 %r9, %r7, ${block}, %r6;`,
            `  mul.wide.u32 %rd6, %r9, ${4 * KEPT_VALUES};`,
            '  add.u64 %rd5, %rd5, %rd6;',
          ]
        : []),
      '  setp.ne.u32 %p1, %r4, 0;',
      '  setp.gt.u32 %p2, %r4, 1;',
      ...(sets.length === 0
        ? []
        : ['  setp.ne.u32 %p3, %r6, 0;', '  @%p3 bra READY;', ...sets, 'READY:', '  bar.sync 0;']),
    ];
  }

  #part(part: PtxPart): readonly string[] {
    if (part.kind === 'sync') return ['  bar.sync 0;'];
    const { grid, block } = this.#program;
    const number = (part.rank * grid + part.cta) * (block / warpThreads(block)) + part.warp;
    const end = `SKIP${this.#skips++}`;
    let kept = 0;
    const keep = (): string => {
      if (kept >= KEPT_VALUES) throw new RangeError(`A thread keeps at most ${KEPT_VALUES} values.`);
      return `[%rd5+${4 * kept++}]`;
    };
    const lines: string[] = [`  setp.ne.u32 %p4, %r5, ${number};`, `  @%p4 bra ${end};`];
    for (const group of groupsOf(part.pieces)) {
      const inside = group.pieces.flatMap((piece) => this.#piece(piece, keep));
      if (group.lanes === 'warp' || warpThreads(block) === 1) {
        lines.push(...inside);
        continue;
      }
      const after = `SKIP${this.#skips++}`;
      lines.push(`  @%p${group.lanes === 'first' ? 1 : 2} bra ${after};`, ...inside, `${after}:`);
    }
    return [...lines, `${end}:`];
  }

  #piece({ lines }: PtxPiece, keep: () => string): readonly string[] {
    const index = ++this.#pieces;
    return lines.map((line) => {
      const text = line
        .replaceAll(/\b(M[012C]|S|B)\b/gu, (name) => registers[name] ?? name)
        .replaceAll(/\$([rdpL])(\d)/gu, (_, kind: string, digit: string) => {
          if (kind === 'L') return `L${index}_${digit}`;
          return `%${kind === 'd' ? 'rd' : kind}${PER_PIECE * index + Number(digit)}`;
        })
        .replaceAll('$K', keep);
      return text.endsWith(':') ? text : `  ${text}`;
    });
  }
}

/** Consecutive pieces of the same lanes. */
function groupsOf(pieces: readonly PtxPiece[]): readonly { readonly lanes: PieceLanes; readonly pieces: PtxPiece[] }[] {
  const groups: { readonly lanes: PieceLanes; readonly pieces: PtxPiece[] }[] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last?.lanes === piece.lanes) last.pieces.push(piece);
    else groups.push({ lanes: piece.lanes, pieces: [piece] });
  }
  return groups;
}
