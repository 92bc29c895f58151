import { ProgressReader } from './progress';

const read = (...pieces: string[]) => {
  const reader = new ProgressReader();
  return pieces.map((piece) => reader.read(piece));
};

describe('the progress of a command', () => {
  it.each([
    ['percent', 'Downloading  42%\n', 0.42],
    ['percent with a fraction, in colours', '\x1b[32m 99.5 %\x1b[0m\n', 0.995],
    ['steps', 'Compiling 3/4\n', 0.75],
    ['steps in brackets', 'npm run build [2/8]\r', 0.25],
    ['the last of several lines', '1/4\n2/4\nstill here\n', 0.5],
  ])('is read from %s at the end of a line', (_name, output, progress) => {
    expect(read(output)).toEqual([progress]);
  });

  it.each([
    'see a/b/12/40\n',
    '2026/11\n',
    'from 3 of 9/2\n',
    '250%\n',
    '5/0\n',
    '40% of it is done\n',
    '12%',
  ])('is not read from %j', (output) => {
    expect(read(output)).toEqual([undefined]);
  });

  it('is read from lines that come in pieces', () => {
    expect(read('step 1', '/2', '\n7', '5%\r')).toEqual([undefined, undefined, 0.5, 0.75]);
  });

  it('is read from OSC 9;4 alone once that has come', () => {
    expect(
      read('10%\n', '\x1b]9;4;1;30\x07', '\x1b]9;', '4;1;55\x1b\\20%\n', '\x1b]9;4;3\x07', '\x1b]9;4;0\x07'),
    ).toEqual([0.1, 0.3, undefined, 0.55, null, null]);
  });

  it('keeps no more than the end of a line without an end', () => {
    const reader = new ProgressReader();
    for (let piece = 0; piece < 100; piece += 1) reader.read('x'.repeat(100_000));
    expect(reader.read(' 12%\n')).toBe(0.12);
  });
});
