import { allocationOf, type DescribedMemory } from './describe-memory.ts';
import type { Expectation } from './memory/expectation.ts';
import { invalid } from './memory/memory-type.ts';
import type { MemcpyStep, MemsetStep, Step } from './step.ts';

/**
 * The work around each launch, on its stream, as in a program that calls the kernel again and
 * again. Findings call these steps `memcpy` and `memset`.
 */
export interface Surroundings {
  /** True if the inputs are overwritten before each launch, and get their first contents again. */
  readonly producer?: boolean;
  /** True if the outputs are read and overwritten after each launch. Nothing is compared then. */
  readonly consumer?: boolean;
  /** The names of the inputs. @default allocations of numbers that are not all zero at first */
  readonly inputs?: readonly string[] | undefined;
  /** The names of the outputs. @default the allocations of `expect` */
  readonly outputs?: readonly string[] | undefined;
}

/** The steps before and after those of a launch. */
export interface SurroundingSteps {
  readonly before: readonly Step[];
  readonly after: readonly Step[];
}

/** The byte with which outputs are overwritten. */
const OVERWRITTEN = 0xa5;

/**
 * Makes the steps around the launches of a rank, and adds the memory that they need to `memory`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if there is no such allocation, or none to write.
 */
export function surroundingSteps(
  { producer = false, consumer = false, inputs, outputs }: Surroundings,
  rank: number,
  memory: DescribedMemory[],
  expected: readonly Expectation[],
): SurroundingSteps {
  const isInput = ({ allocation, image, isGiven }: DescribedMemory): boolean =>
    isGiven && allocation.type.decode !== undefined && image.bytes.some((byte) => byte !== 0);
  const given = [...memory];
  const named = (names: readonly string[]): readonly DescribedMemory[] =>
    [...new Set(names)].map((name) => {
      const found = given.find(({ allocation }) => allocation.name === name);
      if (found === undefined) throw invalid(`surroundings: setup allocates no '${name}'.`);
      return found;
    });
  const read = producer ? (inputs === undefined ? given.filter(isInput) : named(inputs)) : [];
  const written = consumer ? named(outputs ?? expected.map(({ allocation }) => allocation)) : [];
  if (producer && read.length === 0)
    throw invalid('surroundings: no allocation has numbers other than 0 at first; name the inputs.');
  if (consumer && written.length === 0)
    throw invalid('surroundings: the setup expects nothing of an allocation; name the outputs.');
  return {
    // Equal values would hide races with who still reads the last ones.
    before: read.flatMap((one) => [overwritten(one), copied(rank, memory, one, 'unchanged')]),
    after: written.flatMap((one) => [copied(rank, memory, one, 'read'), overwritten(one)]),
  };
}

function overwritten({ allocation: { own, bytes } }: DescribedMemory): MemsetStep {
  return { kind: 'memset', to: own, value: OVERWRITTEN, bytes, stream: 0 };
}

/** Allocates a copy, and copies from it for each launch, or to it if that is only `read`. */
function copied(
  rank: number,
  memory: DescribedMemory[],
  { allocation, image }: DescribedMemory,
  as: 'unchanged' | 'read',
): MemcpyStep {
  const { name, type, count, bytes, own } = allocation;
  const copy = allocationOf(rank, `${name} (${as})`, type, count);
  memory.push({ allocation: copy, image, isGiven: true });
  const [to, from] = as === 'read' ? [copy.own, own] : [own, copy.own];
  return { kind: 'memcpy', to, from, bytes, stream: 0 };
}
