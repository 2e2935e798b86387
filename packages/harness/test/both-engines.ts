import { check, explore, type CheckOptions } from '@nccl-ts/checker';
import { renderReport, type CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';

/** The threads of a launch. `%r1` is the number of each, and `%p1` is true for 0. */
export interface Shape {
  readonly grid: number;
  readonly block: number;
  /** The number of CTAs of a cluster. @default no clusters */
  readonly cluster?: number;
}

export const ctas: Shape = { grid: 2, block: 1 };
export const threads: Shape = { grid: 1, block: 2 };
export const warp: Shape = { grid: 1, block: 32 };

type Machine = Pick<CheckOptions, 'strict' | 'residentCtas'>;

/** The answer of each engine for a kernel. */
export type Told = Readonly<Record<'check' | 'explore', string>>;

/** A program of one launch of PTX on one rank. `%rd1` is the address of 64 words that are 0. */
function programOf(body: string, { grid, block, cluster }: Shape): Parameters<typeof explore>[1] {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .pred %p<20>;
  .reg .b16 %h<4>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .shared .align 16 .b8 sm[64];
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [mem];
  mov.u32 %r1, ${block === 1 ? '%ctaid.x' : '%tid.x'};
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r10, sm;
  mov.u32 %r11, bar;
  ${body}
}
`;
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    grid,
    block,
    ...(cluster === undefined ? {} : { cluster }),
    setup: ({ alloc, peer }) => ({
      args: [
        peer(
          alloc('x', u32, 64, () => 0),
          0,
        ),
      ],
    }),
  });
  return harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
}

/** The reports of the default check and of the graph engine. */
export async function reports(
  body: string,
  shape: Shape,
  machine: Machine = {},
): Promise<Readonly<Record<'check' | 'explore', CheckReport | undefined>>> {
  const program = programOf(body, shape);
  const { report } = await explore({ ranks: 1, mode: 'check', ...machine }, program, { runs: 2000 });
  return { check: await check({ ranks: 1, ...machine }, program), explore: report };
}

/** The text of the report of the default check. */
export async function checkText(body: string, shape: Shape): Promise<string> {
  return renderReport(await check({ ranks: 1 }, programOf(body, shape)));
}

/** The severities and kinds of the findings of both engines. */
export async function severities(body: string, shape: Shape, machine: Machine = {}): Promise<Told> {
  const { check: checked, explore: explored } = await reports(body, shape, machine);
  return { check: findingsOf(checked), explore: findingsOf(explored) };
}

export function both(told: string): Told {
  return { check: told, explore: told };
}

function findingsOf(report: CheckReport | undefined): string {
  const { findings = [] } = report ?? {};
  return [...new Set(findings.map(({ severity, kind }) => `${severity} ${kind}`))].toSorted().join(', ');
}
