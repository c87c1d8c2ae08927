select party_id, full_name, email, changed_at
from party
