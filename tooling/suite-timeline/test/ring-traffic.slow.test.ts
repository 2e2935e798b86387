import './ring-traffic.test.ts';
