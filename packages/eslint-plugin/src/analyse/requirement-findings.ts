import {
  contractText,
  evaluateConstant,
  expandIntrinsics,
  specialise,
  type AssertStatement,
  type Body,
  type Expression,
  type Module,
  type ScalarValue,
} from '@nccl-ts/ir';
import { analyseKernel, unknownValue, type Kernel } from '@nccl-ts/kernel';
import { memberOf } from '../evaluate/member-of.ts';
import type { ModuleText } from '../evaluate/module-text.ts';
import { childOf, listOf, nameOf, withoutCasts, type SyntaxNode } from '../source/syntax.ts';
import type { LintFinding } from './finding.ts';
import { findingAt, propertyOf, type LaunchText } from './launches-of.ts';

/** The fields of a device communicator that have the value of a requirement. */
const counts: Readonly<Record<string, string>> = {
  'lsaBarrier.nBarriers': 'lsaBarrierCount',
  'hybridLsaBarrier.nBarriers': 'barrierCount',
  'cftBarrier.nBarriers': 'cftBarrierCount',
  ginCounterCount: 'ginCounterCount',
};

/** Reports a device communicator that is made with less than the kernel needs in each launch. */
export function requirementFindings(module: ModuleText, launch: LaunchText): readonly LintFinding[] {
  const { kernel, args, scope } = launch;
  return Object.entries(kernel.params).flatMap(([name, type], param) => {
    const given = type.kind === 'handle' && type.handle === 'DevComm' ? propertyOf(args, name) : undefined;
    const creation = given && creationOf(given, launch);
    if (given === undefined || creation === undefined) return [];
    const [first] = listOf(creation, 'arguments');
    const requirements = first === undefined ? {} : module.valueOf(first, scope);
    if (requirements === unknownValue) return [];
    const text = brokenContract(kernel, param, requirements, gridOf(module, launch));
    return text === undefined ? [] : [findingAt(first ?? creation, `launch of ${kernel.name}: ${text}`)];
  });
}

/** The call of `createDevComm` whose result `node` names. */
function creationOf(node: SyntaxNode, { scope }: LaunchText): SyntaxNode | undefined {
  const binding = scope.lookUp(nameOf(withoutCasts(node)) ?? '');
  if (binding?.kind !== 'constant' || binding.path.length > 0 || binding.init.type !== 'AwaitExpression')
    return undefined;
  const call = childOf(binding.init, 'argument');
  const callee = call?.type === 'CallExpression' ? childOf(call, 'callee') : undefined;
  const isCreation = callee !== undefined && nameOf(childOf(callee, 'property')) === 'createDevComm';
  return isCreation ? call : undefined;
}

function gridOf(module: ModuleText, { options, scope }: LaunchText): number | undefined {
  const node = propertyOf(options, 'grid');
  const value = node && module.valueOf(node, scope);
  return typeof value === 'number' && value >= 1 ? value : undefined;
}

/** The text of the first contract that every thread of the launch breaks. */
function brokenContract(
  kernel: Kernel,
  param: number,
  requirements: unknown,
  grid: number | undefined,
): string | undefined {
  const result = analyseKernel(kernel);
  if (!result.ok) return undefined;
  const index = flatIndex(result.module, param, kernel);
  const last = grid === undefined ? {} : { 'blockIdx.x': grid - 1, 'blockIdx.y': 0, 'blockIdx.z': 0 };
  // The last CTA has the highest index, which is what most kernels number their barriers by.
  const module = specialise(
    expandIntrinsics(result.module, () => false),
    {
      builtins: last,
      fields: (of, field) => {
        const requirement = of === index && Object.hasOwn(counts, field) ? counts[field] : undefined;
        if (requirement === undefined) return undefined;
        const count = memberOf(requirements, requirement);
        return typeof count === 'number' ? count : isAbsent(requirements, requirement) ? 0 : undefined;
      },
    },
  );
  const broken = alwaysRun(module.body).find(({ condition }) => scalarOf(condition) === false);
  if (broken === undefined) return undefined;
  const values = (broken.values ?? []).flatMap((value) => scalarOf(value) ?? []);
  return contractText(broken.message, values);
}

function scalarOf(expression: Expression): ScalarValue | undefined {
  return evaluateConstant(expression)?.[0];
}

function isAbsent(requirements: unknown, name: string): boolean {
  return typeof requirements === 'object' && requirements !== null && !Object.hasOwn(requirements, name);
}

/** The number in the module of a parameter before which no struct stands. */
function flatIndex(module: Module, param: number, kernel: Kernel): number {
  const name = Object.keys(kernel.params)[param];
  return module.params.findIndex((one) => one.name === name);
}

/** The contracts outside of branches and loops. */
function alwaysRun(body: Body): readonly AssertStatement[] {
  return body.flatMap((statement) => {
    if (statement.kind === 'assert') return statement.contract === true ? [statement] : [];
    if (statement.kind === 'block') return alwaysRun(statement.body);
    return statement.kind === 'call' && statement.body !== undefined ? alwaysRun(statement.body) : [];
  });
}
