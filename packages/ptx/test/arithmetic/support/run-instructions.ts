import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import {
  addressPointer,
  bitcast,
  builtin,
  constant,
  convert,
  lane,
  local,
  binary,
  param,
  pointerOffset,
  scalarType,
  vectorType,
  type Expression,
  type Module,
} from '@nccl-ts/ir';
import { moduleKernel, u64 } from '@nccl-ts/kernel';
import { registersIn } from '../../../src/lower/instruction-parts.ts';
import { arithmetic } from '../../../src/lower/arithmetic/arithmetic.ts';
import { instructionOf } from './instruction-text.ts';
import { bitsAs, span, TestLowering } from './test-lowering.ts';

/** Instructions (`;` between) and the initial values of registers, for each thread. */
export interface Program {
  readonly text: string;
  /** Names of the registers that hold inputs, in the order of `inputs`. */
  readonly sources: readonly string[];
  /** The names of the registers that are read afterwards. */
  readonly results: readonly string[];
  readonly inputs: readonly (readonly bigint[])[];
}

/**
 * The registers that `text` names. Those whose names end in a letter are results, and the others
 * are sources.
 */
export function registersOf(text: string): {
  readonly sources: readonly string[];
  readonly results: readonly string[];
} {
  const names = new Set(
    text.split(';').flatMap((part) => instructionOf(part.trim()).operands.flatMap((operand) => registersIn(operand))),
  );
  return {
    sources: [...names].filter((name) => /\d$/.test(name)),
    results: [...names].filter((name) => /[x-z]$/.test(name)),
  };
}

const word = scalarType('u64');

/** A module in which thread i reads its registers from row i of the table at the first address. */
function moduleOf({ text, sources, results }: Program): Module {
  const lowering = new TestLowering();
  const at = (base: number, width: number, index: number): Expression => {
    const row = binary('mul', builtin('threadIdx.x'), constant('u32', width));
    const place = binary('add', row, constant('u32', index));
    return pointerOffset(addressPointer(word, param(base, word)), place);
  };
  sources.forEach((name, index) => {
    const loaded = lowering.local('loaded', word);
    lowering.emit({ kind: 'load', local: loaded, pointer: at(0, sources.length, index), span });
    const register = lowering.register(name);
    if (register.kind !== 'local') return;
    const { type } = register;
    const value = local(loaded, word);
    const bits =
      type.kind !== 'scalar'
        ? // Both halves of 128 bits are the same word.
          bitcast(vectorType('u32', 4), { kind: 'vector', type: vectorType('u64', 2), elements: [value] })
        : type.scalar === 'bool'
          ? convert(type, value)
          : bitsAs(value, type.scalar);
    lowering.emit({ kind: 'assign', local: register.local, value: bits, span });
  });
  for (const part of text.split(';')) {
    const instruction = instructionOf(part.trim());
    const lower = arithmetic[instruction.words[0]]?.lower;
    if (lower === undefined) throw new Error(`the table has no ${instruction.words[0]}`);
    lower(instruction, lowering);
  }
  results.forEach((name, index) => {
    const register = lowering.register(name);
    const { type } = register;
    const value =
      type.kind !== 'scalar'
        ? lane(bitcast(vectorType('u64', 2), register), constant('u32', 1))
        : type.scalar === 'bool'
          ? convert(word, register)
          : bitsAs(register, 'u64');
    lowering.emit({ kind: 'store', pointer: at(1, results.length, index), value, span });
  });
  return {
    name: 'instructions',
    params: [
      { name: 'from', type: word },
      { name: 'into', type: word },
    ],
    locals: lowering.locals,
    arrays: [],
    body: lowering.statements,
    sources: [{ name: 'instructions.ptx', text }],
  };
}

/** The contents of the results, for each program and each of its inputs. */
export async function runInstructions(programs: readonly Program[]): Promise<readonly (readonly bigint[])[][]> {
  await using world = await World.open({ backend: sim({ ranks: 1, engine: 'js' }) });
  const [results] = await world.run(async (comm) => {
    const all: (readonly bigint[])[][] = [];
    for (const program of programs) {
      const { inputs, sources, results: names } = program;
      const from = await comm.allocWindow('u64', Math.max(1, inputs.length * sources.length));
      const into = await comm.allocWindow('u64', inputs.length * names.length);
      await from.write(BigUint64Array.from(inputs.flat()));
      const kernel = moduleKernel({ name: 'instructions', params: { from: u64, into: u64 } }, () => moduleOf(program));
      const addressOf = (window: typeof from): bigint => BigInt(getLsaDevicePointer(window, 0, 0)?.address ?? -1);
      await comm.launch(kernel, { grid: 1, block: inputs.length }, { from: addressOf(from), into: addressOf(into) });
      await comm.synchronize();
      const words = [...(await into.read())];
      all.push(inputs.map((_, row) => words.slice(row * names.length, (row + 1) * names.length)));
    }
    return all;
  });
  if (results === undefined) throw new Error('the world has no rank');
  return results;
}
