import type { World } from '@nccl-ts/communicator';

/**
 * Runs cases on a world of their shape, one after the other.
 *
 * @returns the problems, each preceded by the id of its case.
 */
export async function problemsOf<Case extends { readonly id: string }>(
  world: World,
  cases: readonly Case[],
  run: (world: World, one: Case) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const one of cases) {
    const problem = await run(world, one);
    if (problem !== undefined) problems.push(`${one.id}: ${problem}`);
  }
  return problems;
}
