// npm run cluster: as npm start, with every service as processes of their own, two of each, two gateways behind a
// balancer, and a bus on which each may do only what it needs.
process.argv.splice(2, 0, '--cluster');
await import('./start.mjs');
