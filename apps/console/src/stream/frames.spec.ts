import { frameReader } from './frames';

describe('reading a stream', () => {
  const text = 'retry: 2000\nid: 7\n\n:\n\nevent: inbox.changed\nid: 8\ndata: {"kind":"created"}\n\n';
  const frames = [{ id: '7' }, {}, { event: 'inbox.changed', id: '8', data: '{"kind":"created"}' }];

  it('gives each whole frame', () => expect(frameReader()(text)).toEqual(frames));

  it('gives the same frames wherever the text is cut', () => {
    for (let at = 0; at <= text.length; at += 1) {
      const read = frameReader();
      expect([...read(text.slice(0, at)), ...read(text.slice(at))]).toEqual(frames);
    }
  });

  it('keeps a frame back until it is whole', () => {
    const read = frameReader();
    expect(read('event: reset\nid: 9\n')).toEqual([]);
    expect(read('\n')).toEqual([{ event: 'reset', id: '9' }]);
  });
});
