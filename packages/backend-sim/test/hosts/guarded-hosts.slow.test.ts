import './guarded-hosts.test.ts';
