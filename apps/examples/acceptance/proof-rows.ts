import { readdirSync } from 'node:fs';
import { allExamples } from '../src/seeds/all-examples.ts';
import { fits, type RankShape } from '../src/seeds/campaign.ts';
import { acceptanceRows } from './acceptance-rows.ts';
import { removalRows } from './removal-rows.ts';

/** A text of a launch, and what replaces it. */
export type Edit = readonly [string, string];

/** A launch of this folder, and the PTX of a public kernel. Both are copied to another folder. */
interface EditedLaunch {
  readonly launch: string;
  readonly ptx: string;
  readonly edits?: readonly Edit[];
  readonly args?: readonly string[];
}

/** A check: by `nccl-ts check` in a checkout, or by `check()` with its defaults. */
export type ProofCheck =
  /** Files of the repository, and options. */
  | { readonly kind: 'command'; readonly args: readonly string[] }
  /** An example at its smallest size. */
  | { readonly kind: 'example'; readonly example: string; readonly ranks: number; readonly lsaSize: number }
  | (EditedLaunch & { readonly kind: 'launch' })
  /** The same, without each of its synchronisations in turn: remove-synchronisations.ts. */
  | (EditedLaunch & { readonly kind: 'removals' });

export type ProofGroup =
  | 'museum'
  | 'examples'
  | 'results.md'
  | 'results-nccl-deepep.md'
  | 'results-further.md'
  | 'synchronisations removed';

/** A program whose verdicts before and after are compared. */
export interface ProofRow {
  readonly group: ProofGroup;
  readonly name: string;
  readonly ranks: number;
  readonly check: ProofCheck;
  /** The verdict of the results file. */
  readonly published?: string;
}

const museum = new URL('../museum/', import.meta.url);

function museumRows(): readonly ProofRow[] {
  const folders = readdirSync(museum, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name: folder }) => {
    const at = `apps/examples/museum/${folder}`;
    const isLaunch = readdirSync(new URL(folder, museum)).includes('broken.launch.ts');
    return (['broken', 'mended'] as const).map((form): ProofRow => {
      const args = isLaunch
        ? [`${at}/kernel.ptx`, '--harness', `${at}/${form}.launch.ts`, '--resident-ctas', '4']
        : [`${at}/${form}.ptx`, '--harness', `${at}/launch.ts`];
      return { group: 'museum', name: `${folder}, ${form}`, ranks: 2, check: { kind: 'command', args } };
    });
  });
}

/** No ranks, all ranks, or some ranks reach each other. */
const exampleShapes: readonly RankShape[] = [
  { ranks: 2, lsaSize: 1 },
  { ranks: 2, lsaSize: 2 },
  { ranks: 4, lsaSize: 2 },
];

/** Every example at its smallest size. Those of communicators launch no kernel. */
function exampleRows(): readonly ProofRow[] {
  const launching = allExamples.filter(({ name }) => !name.startsWith('09'));
  const programs = launching.flatMap((example) =>
    exampleShapes
      .filter((shape) => fits(example, shape))
      .map((shape): ProofRow => ({
        group: 'examples',
        name: `${example.name}, LSA teams of ${shape.lsaSize}`,
        ranks: shape.ranks,
        check: { kind: 'example', example: example.name, ...shape },
      })),
  );
  const kernels = ['all-to-all', 'dot-product', 'ring-all-reduce'].flatMap((kernel) =>
    [2, 4].map((ranks): ProofRow => {
      const args = [`apps/examples/kernels/${kernel}.ts`, '--ranks', String(ranks)];
      return { group: 'examples', name: `kernels/${kernel}`, ranks, check: { kind: 'command', args } };
    }),
  );
  const triton: ProofRow = {
    group: 'examples',
    name: 'triton',
    ranks: 2,
    check: { kind: 'command', args: ['apps/examples/triton/launch.ts'] },
  };
  return [...programs, ...kernels, triton];
}

/** Every program, in the order of the table. */
export const proofRows: readonly ProofRow[] = [...museumRows(), ...exampleRows(), ...acceptanceRows, ...removalRows];
