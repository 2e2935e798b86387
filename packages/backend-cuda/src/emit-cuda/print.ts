import { elementScalar, type Expression } from '@nccl-ts/ir';
import type { EmitContext } from './context.ts';
import { convertText } from './emit-convert.ts';
import { emitExpression } from './emit-expression.ts';
import { stringLiteral } from './literal.ts';

/** A line of `printf`: rank, CTA and thread, then the parts with a space between. */
export function printText(args: readonly (string | Expression)[], c: EmitContext): string {
  c.use('place');
  c.prints = true;
  const formats: string[] = ['[rank %u cta %u thread %u]'];
  const cta = 'blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)';
  const values: string[] = ['print_rank', cta, 'nts::thread_linear()'];
  for (const arg of args) {
    if (typeof arg === 'string') {
      formats.push('%s');
      values.push(stringLiteral(arg));
      continue;
    }
    const kind = arg.type.kind === 'scalar' || arg.type.kind === 'vector' ? elementScalar(arg.type) : 'u64';
    const text = emitExpression(arg, c);
    const elements =
      arg.type.kind === 'vector' ? Array.from({ length: arg.type.width }, (_, i) => `${text}.v[${i}]`) : [text];
    for (const element of elements) {
      const { format, value } = formatted(kind, element, c);
      formats.push(format);
      values.push(value);
    }
  }
  return `printf(${[stringLiteral(formats.join(' ')).replace(/"$/, '\\n"'), ...values].join(', ')});`;
}

function formatted(
  kind: ReturnType<typeof elementScalar>,
  value: string,
  c: EmitContext,
): { format: string; value: string } {
  switch (kind) {
    case 'i64':
      return { format: '%lld', value };
    case 'u64':
    case 'addr':
      return { format: '%llu', value };
    case 'u8':
    case 'u16':
    case 'u32':
      return { format: '%u', value: `(unsigned int)${value}` };
    case 'bool':
    case 'i8':
    case 'i16':
    case 'i32':
      return { format: '%d', value: `(int)${value}` };
    default:
      return { format: '%.9g', value: convertText(kind, 'f64', value, (part) => c.use(part)) };
  }
}
