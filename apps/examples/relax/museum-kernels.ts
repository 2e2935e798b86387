import { isHarness, type Harness } from '@nccl-ts/harness';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A kernel of the museum: its PTX, its source, and the launches of one of its two forms. */
export interface MuseumKernel {
  readonly folder: string;
  readonly name: string;
  readonly harness: Harness;
  readonly text: string;
  readonly source: string;
  /** The number of CTAs that each GPU can run at once, if that matters. */
  readonly residentCtas?: number;
}

const museum = new URL('../museum/', import.meta.url);

/** The folders of the museum. */
export const folders: readonly string[] = readdirSync(museum, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Reads the broken or the mended kernel of a folder. */
export async function museumKernel(folder: string, form: 'broken' | 'mended'): Promise<MuseumKernel> {
  const at = new URL(`${folder}/`, museum);
  const isLaunch = existsSync(new URL(`${form}.launch.ts`, at));
  const name = isLaunch ? 'kernel' : form;
  const launch: unknown = await import(new URL(isLaunch ? `${form}.launch.ts` : 'launch.ts', at).href);
  const harness = typeof launch === 'object' && launch !== null && 'default' in launch ? launch.default : undefined;
  if (!isHarness(harness)) throw new TypeError(`${folder} exports no harness`);
  return {
    folder,
    name: `${name}.ptx`,
    harness,
    text: readFileSync(new URL(`${name}.ptx`, at), 'utf8'),
    source: new URL(`${name}.cu`, at).pathname,
    ...(isLaunch ? { residentCtas: 4 } : {}),
  };
}
