import './schedules-network.test.ts';
