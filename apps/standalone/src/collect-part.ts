// Loaded by Node before the emulator and the simulator, which are smaller than the main process.
import { collectWhenQuiet } from './collection';

collectWhenQuiet(12 * 2 ** 20);
