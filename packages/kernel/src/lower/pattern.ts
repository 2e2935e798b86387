import type { Pattern } from 'acorn';
import type { Span } from '@nccl-ts/ir';
import { captureReports } from '../diagnose/capture-reports.ts';
import { memberOf } from './member.ts';
import { propertyName } from './property-name.ts';
import type { Lowering } from './lowering.ts';
import { poison, type CellBox, type Operand } from './operand.ts';
import { assignCell, newVariable } from './variable.ts';

/**
 * Binds the names of a pattern to the parts of `operand`. A name that is assigned later becomes a
 * variable.
 */
export function bindPattern(l: Lowering, pattern: Pattern, operand: Operand, span: Span): void {
  const at = l.span(pattern);
  switch (pattern.type) {
    case 'Identifier': {
      const declaration = l.frame.text.resolution.of.get(pattern);
      if (declaration === undefined) return;
      if (!declaration.assigned) {
        l.environment.bind(declaration, { kind: 'fixed', operand });
        return;
      }
      const box: CellBox = newVariable(pattern.name, at);
      l.environment.bind(declaration, { kind: 'variable', box, frame: l.frame.depth });
      if (operand.kind !== 'absent') assignCell(l, box, operand, span);
      return;
    }
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') {
          l.report(captureReports.restElement(l.span(property)));
          bindPattern(l, property.argument, poison, span);
          continue;
        }
        const name = propertyName(property.key);
        if (property.computed || name === undefined) {
          l.report(captureReports.computedName(l.span(property.key)));
          bindPattern(l, property.value, poison, span);
          continue;
        }
        // The members of an option that was not given are absent too.
        const member =
          operand.kind === 'poison' || operand.kind === 'absent'
            ? operand
            : memberOf(l, operand, name, l.span(property.key));
        bindPattern(l, property.value, member, span);
      }
      return;
    case 'AssignmentPattern':
      l.report(captureReports.defaultValue(at));
      bindPattern(l, pattern.left, poison, span);
      return;
    case 'RestElement':
      l.report(captureReports.restElement(at));
      bindPattern(l, pattern.argument, poison, span);
      return;
    case 'ArrayPattern':
      l.report(captureReports.arrayLiteral(at));
      for (const element of pattern.elements) if (element) bindPattern(l, element, poison, span);
      return;
    case 'MemberExpression':
      l.report(captureReports.assignmentTarget(at));
  }
}
