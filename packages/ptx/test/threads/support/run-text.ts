import { check, type CheckOptions } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World, type Communicator } from '@nccl-ts/communicator';
import type { CheckReport } from '@nccl-ts/findings';
import { importKernel } from '../../../src/import-kernel.ts';
import type { PtxVariable } from '../../../src/syntax/module.ts';
import { parsePtx } from '../../../src/syntax/parse-ptx.ts';

export interface TextRun {
  readonly block?: number;
  readonly grid?: number;
  readonly engine?: 'js' | 'wasm';
  /** The words of `work_in`, of which there are 64 at least. */
  readonly given?: readonly number[];
  /** Known bytes of the parameters, by their offset. */
  readonly known?: ReadonlyMap<number, bigint>;
}

/** The most words that the entry may write to `work_out`. */
const WORDS = 1024;

/**
 * An entry `work` with the parameters `work_in` and `work_out`, which point to words. `body` is its
 * code after the loads of both into `%in` and `%out`. `before` stands in front of the entry.
 */
export function workEntry(body: string, before = '', version = '8.8', target = 'sm_100a'): string {
  return `
.version ${version}
.target ${target}
.address_size 64
${before}
.visible .entry work(.param .u64 work_in, .param .u64 work_out)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<64>;
  .reg .f32 %f<64>;
  .reg .b64 %rd<32>;
  .reg .b64 %in, %out;
  ld.param.u64 %in, [work_in];
  ld.param.u64 %out, [work_out];
  mov.u32 %r0, %tid.x;
${body}
  ret;
}
`;
}

/** Runs the entry, and returns the words that it wrote. */
export async function runText(text: string, { engine = 'js', ...options }: TextRun = {}): Promise<readonly number[]> {
  return launch(text, sim({ ranks: 1, engine }), options);
}

/** Checks the entry. */
export async function checkText(
  text: string,
  { strategy, ...options }: TextRun & Pick<CheckOptions, 'strategy'> = {},
): Promise<CheckReport> {
  const how = strategy === undefined ? {} : { strategy };
  return check({ ranks: 1, ...how }, async (backend) => {
    await launch(text, backend, options);
  });
}

/** The codes and messages of the errors for which the entry is refused. */
export function refusalOfText(text: string): readonly string[] {
  const { module, diagnostics } = parsePtx(text, 'work.ptx');
  if (module === undefined) return diagnostics.map(({ code, message }) => `${code} ${message}`);
  try {
    importKernel(module, { entry: 'work' });
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Puts a variable of the module into memory, and returns its address. */
async function imageOf({ bytes, initial }: PtxVariable, comm: Communicator): Promise<bigint> {
  const window = await comm.allocWindow('u8', Math.max(bytes, 8));
  if (initial !== undefined) await window.write(initial.bytes);
  return BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? 0);
}

async function launch(text: string, backend: SimBackend, options: TextRun): Promise<readonly number[]> {
  const { block = 32, grid = 1, given = [], known } = options;
  const { module, diagnostics } = parsePtx(text, 'work.ptx');
  if (module === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const { kernel, params } = importKernel(module, { entry: 'work', ...(known === undefined ? {} : { known }) });
  await using world = await World.open({ backend });
  const [out] = await world.run(async (comm) => {
    const data = await comm.allocWindow('u32', Math.max(64, given.length));
    await data.write(Uint32Array.from({ length: Math.max(64, given.length) }, (_, i) => given[i] ?? 0));
    const results = await comm.allocWindow('u32', WORDS);
    await results.write(new Uint32Array(WORDS));
    const addresses = [data, results].map((window) => BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? 0));
    const args: Record<string, bigint> = {};
    for (const param of params) {
      if (param.kind === 'bytes') args[param.name] = addresses[param.offset / 8] ?? 0n;
      if (param.kind === 'variable') args[param.name] = await imageOf(param.variable, comm);
    }
    await comm.launch(kernel, { grid, block }, args);
    await comm.synchronize();
    return [...(await results.read())];
  });
  return out ?? [];
}
