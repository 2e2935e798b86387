import './sync-costs.test.ts';
