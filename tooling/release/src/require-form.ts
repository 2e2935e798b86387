import { parse, type ImportDeclaration, type Program } from 'acorn';

/**
 * Converts a program to CommonJS, with `require` for each import, no exports, and its awaits inside
 * a function.
 */
export function requireForm(module: string): string {
  const program: Program = parse(module, { ecmaVersion: 'latest', sourceType: 'module' });
  let text = '';
  let at = 0;
  for (const statement of program.body) {
    text += module.slice(at, statement.start);
    at = statement.end;
    text += commonForm(statement, module);
  }
  return `(async () => {\n${text}${module.slice(at)}\n})().catch((error) => {\n  console.error(error);\n  process.exitCode = 1;\n});\n`;
}

function commonForm(statement: Program['body'][number], module: string): string {
  if (statement.type === 'ImportDeclaration') return required(statement);
  if (statement.type === 'ExportNamedDeclaration') {
    const { declaration } = statement;
    return declaration ? module.slice(declaration.start, declaration.end) : '';
  }
  if (statement.type === 'ExportDefaultDeclaration')
    return `void (${module.slice(statement.declaration.start, statement.declaration.end)});`;
  return module.slice(statement.start, statement.end);
}

function required({ specifiers, source }: ImportDeclaration): string {
  const call = `require(${JSON.stringify(source.value)})`;
  if (specifiers.length === 0) return `${call};`;
  return specifiers
    .map((specifier) => {
      const local = specifier.local.name;
      if (specifier.type === 'ImportNamespaceSpecifier') return `const ${local} = ${call};`;
      if (specifier.type === 'ImportDefaultSpecifier') return `const ${local} = ${call}.default;`;
      const { imported } = specifier;
      const name = imported.type === 'Identifier' ? imported.name : String(imported.value);
      return `const { ${JSON.stringify(name)}: ${local} } = ${call};`;
    })
    .join(' ');
}
