export { Destinations, isNotAllowed, NameNotFound, pinnedTo, type Reachable } from './destinations';
