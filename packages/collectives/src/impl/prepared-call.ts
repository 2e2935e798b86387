import type { Communicator } from '@nccl-ts/communicator';
import { collectiveNames, collectiveShapes, expectInteger, NcclError, showValue, takeOptions } from '@nccl-ts/core';
import { checkedOptions, type CollectiveOptions } from '../call.ts';
import { elementRows } from '../kernels/element-rows.ts';
import { opNamed, reductionNames } from '../red-op.ts';
import type { CollectiveQuery } from '../selection/query-on.ts';
import type { SelectionRequest } from './selected-algorithm.ts';

const what = 'prepareCollective';

function invalid(text: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${what}: ${text}`);
}

/**
 * The call that a query asks about.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the query or an option does not fit.
 */
export function preparedCall(comm: Communicator, given: CollectiveQuery, options: CollectiveOptions): SelectionRequest {
  if (typeof comm?.launch !== 'function') throw invalid(`comm must be a communicator; given ${showValue(comm)}.`);
  const query = takeOptions(what, given, { collective: true, element: true, count: true, op: true, inPlace: true });
  const { collective: name, element, count, op, inPlace = false } = query;
  if (!collectiveNames.includes(name)) {
    throw invalid(`collective must be one of ${collectiveNames.join(', ')}; given ${showValue(name)}.`);
  }
  if (!Object.hasOwn(elementRows, element)) {
    throw invalid(`element must be one of ${Object.keys(elementRows).join(', ')}; given ${showValue(element)}.`);
  }
  expectInteger(`${what}: count`, count, 0);
  const { reduces, send, recv } = collectiveShapes[name];
  if (reduces && (op === undefined || !reductionNames.includes(op))) {
    throw invalid(`op of ${name} must be one of ${reductionNames.join(', ')}; given ${showValue(op)}.`);
  }
  if (!reduces && op !== undefined) {
    throw invalid(`op must be undefined because ${name} does not reduce; given ${showValue(op)}.`);
  }
  if (typeof inPlace !== 'boolean') throw invalid(`inPlace must be true or false; given ${showValue(inPlace)}.`);
  if (inPlace && send === 'each' && recv === 'each') {
    throw invalid(`cannot prepare ${name} in place because it cannot be done in place; leave out inPlace.`);
  }
  return {
    name,
    comm,
    element,
    count,
    op: op === undefined ? undefined : opNamed(op, element),
    inPlace,
    options: checkedOptions(what, options),
  };
}
