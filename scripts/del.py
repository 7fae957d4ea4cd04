import subprocess,os
os.chdir('/work/c-web/packages/web/src')
D={
'account/Hint.tsx':['/** Information that is not an error. */'],
'account/Facts.tsx':['/** Details in small print, separated by dots. */'],
'app/FormButtons.tsx':['/** The cancel and submit buttons of a dialog. */'],
'app/UserLine.tsx':['  /** Shown beside the name. */','/** A user in a list: avatar, name and email. */'],
'console/Facts.tsx':['/** Names and values, side by side if there is room. */'],
'console/audit/Events.tsx':['/** One page of events; each opens with all its fields. */','/** The time to the second, and below it the day. */'],
'console/audit/EventDetail.tsx':['/** All fields of an event, and links to related ones. */'],
'console/flags/FlagCell.tsx':['/** A flag in one scope: its state and actions. */'],
'console/users/Row.tsx':['/** An action: its description and its button. */'],
'console/organizations/TeamPanel.tsx':['/** The members, with links to their accounts. */'],
'console/users/Users.tsx':['/** All accounts, filtered by name or email, status and organization. */'],
'console/users/User.tsx':['/** One account with all its data, and the actions that the signed-in user may do. */'],
'console/providers/Provider.tsx':['/** One provider: status, registration, settings and test. */'],
'console/overview/SignIns.tsx':['/** Sign-ins and failures over time: two charts and a table of their numbers. */'],
'console/overview/Status.tsx':['/** The readiness checks of the service, and its degraded providers. */'],
'console/access/FirstOwner.tsx':['/** A command to copy. */'],
'hosted/sign-in/Steps.tsx':['/** All steps of a sign-in. */'],
'hosted/verify-email/Ended.tsx':['/** What the link has done, and what to do next. */'],
'hosted/verify-email/Confirm.tsx':['  /** The alternative action, if any. */'],
'hosted/mfa/MfaForm.tsx':['  /** Further fields. */'],
'hosted/invitation/InvitationFrame.tsx':['/** The content of the invitation, above the possible actions. */'],
'organization/members/Members.tsx':['/** The members of the organization. Owners and admins can change and remove them. */'],
'ui/Panel.tsx':['/** A section of a page. */'],
'console/audit/Audit.tsx':['/** The filters. Each change is applied immediately, in the URL. */'],
'app/Pager.tsx':[],
'hosted/Created.tsx':[],
}
for f,ls in D.items():
    t=open(f).read()
    for l in ls:
        assert t.count('\n'+l+'\n')==1,(f,l)
        t=t.replace('\n'+l+'\n','\n')
    open(f,'w').write(t)
