import { ncclCalls } from '../calls/nccl-calls.ts';
import { devCommArgument } from '../dev-comm-argument.ts';
import type { EntryFacts, ParameterFacts } from './entry-facts.ts';

/** Returns the parameter that is an `ncclDevComm` of the stand-in headers. */
export function standInDevComm({
  calls,
  parameters,
}: Pick<EntryFacts, 'calls' | 'parameters'>): ParameterFacts | undefined {
  if (!calls.some((name) => ncclCalls.has(name))) return undefined;
  return parameters.find(({ isStruct, bytes }) => isStruct && bytes === devCommArgument.type.bytes);
}
