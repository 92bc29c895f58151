// In which order jest runs the files of a tier. Where it has not seen them yet, as in a fresh clone, it goes by their
// size. Those that are short and take long would come last, one worker with them and the others with nothing to do.
// What counts costs is none of them: it counts best where little else runs, towards the end.
import Sequencer from '@jest/test-sequencer';

const longForTheirSize = [
  // tries some fifty thousand inputs
  'libs/contracts/src/inputs.spec.ts',
  // checks the types of the whole program
  'apps/standalone/src/instants.spec.ts',
  // start whole houses again
  'apps/standalone/src/interleavings.e2e.spec.ts',
  'apps/standalone/src/crash.e2e.spec.ts',
  'apps/standalone/src/rows-lost.e2e.spec.ts',
  'apps/standalone/src/processes.e2e.spec.ts',
  'apps/teams/src/oncall/page/page.e2e.spec.ts',
  'apps/teams/src/oncall/page/open-page.e2e.spec.ts',
  // keeps a house away for a minute
  'apps/notifications/src/alert/alertmanager.e2e.spec.ts',
  // waits for what ends streams
  'apps/gateway/src/stream/stream.e2e.spec.ts',
  // wait for what a real server would not say
  'apps/event-store-emulator/src/recorded.it.spec.ts',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const comesFirst = ({ path }) => longForTheirSize.some((file) => path.endsWith(file));
    return [...sorted.filter(comesFirst), ...sorted.filter((test) => !comesFirst(test))];
  }
}
