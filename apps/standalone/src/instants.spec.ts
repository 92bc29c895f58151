import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../../..');
const comparing = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

/** Holds that texts are sorted by their code units. */
const allowed = ['libs/eventing/src/text-order.ts'];

/** Each comparison of two texts by `<` or its like, in what is no test. */
function comparedTexts(files: readonly string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram([...files], options);
  const checker = program.getTypeChecker();
  const isText = (node: ts.Node): boolean => {
    const type = checker.getTypeAtLocation(node);
    return (type.isUnion() ? type.types : [type]).some(
      (each) => (each.flags & ts.TypeFlags.StringLike) !== 0,
    );
  };
  return files.flatMap((name) => {
    const file = program.getSourceFile(name);
    if (!file) throw new Error(`${name} was not read`);
    const found: string[] = [];
    const look = (node: ts.Node): void => {
      if (
        ts.isBinaryExpression(node) &&
        comparing.has(node.operatorToken.kind) &&
        isText(node.left) &&
        isText(node.right)
      ) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${relative(root, name)}:${line + 1} ${node.getText()}`);
      }
      ts.forEachChild(node, look);
    };
    look(file);
    return found;
  });
}

describe('an instant', () => {
  it('is compared as a number: by isBefore and compareInstants, other texts by compareTexts', () => {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const files = fileNames.filter(
      (name) =>
        !name.endsWith('.spec.ts') && !name.endsWith('.d.ts') && !allowed.includes(relative(root, name)),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(comparedTexts(files, options)).toEqual([]);
  }, 300_000);
});
