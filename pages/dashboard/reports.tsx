import { Declines } from './decline-report.tsx';
import { Month } from './month.tsx';
import { Title } from './title.tsx';

export const ReportsPage = () => (
  <>
    <Title>Reports</Title>
    <Month />
    <Declines />
  </>
);
