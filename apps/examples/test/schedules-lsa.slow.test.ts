import './schedules-lsa.test.ts';
