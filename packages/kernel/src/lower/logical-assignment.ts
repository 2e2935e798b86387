import type { AssignmentExpression } from 'acorn';
import { captureReports } from '../diagnose/capture-reports.ts';
import { lowerExpression } from './expression.ts';
import type { Lowering } from './lowering.ts';
import { poison, type Operand } from './operand.ts';

/** `x &&= y` is `x && (x = y)`: said so, since in C++ it does not exist and its value would be a truth value here. */
export function lowerLogicalAssignment(l: Lowering, node: AssignmentExpression): Operand {
  const operator = node.operator;
  l.report(
    captureReports.operator(l.operatorSpan(operator, node.left, node.right), operator, 'write if (condition) x = y'),
  );
  lowerExpression(l, node.right, true);
  return poison;
}
