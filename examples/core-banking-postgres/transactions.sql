select posting_id, account_no, booked_at, created_at, side, cents, kind, narrative
from posting
